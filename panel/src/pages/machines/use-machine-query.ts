import { useQuery } from '@tanstack/react-query';
import { unlessTold } from '../../api/live.ts';
import { read } from '../../api/queries.ts';

/** While a job runs its progress is looked at this often, whether or not a change is announced. */
const WORKING_MS = 1_500;
const RESTING_MS = 30_000;

/** A machine, kept up to date. */
export function useMachineQuery(id: string) {
  return useQuery({
    ...read('getVm', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.active_job ? WORKING_MS : unlessTold(RESTING_MS)()),
  });
}
