import { useQuery } from '@tanstack/react-query';
import { unlessTold } from '../../api/live.ts';
import { read } from '../../api/queries.ts';

/** Polling interval while a job runs, to show its progress even if no changes are announced. */
const WORKING_MS = 1_500;
const RESTING_MS = 30_000;

export function useMachineQuery(id: string) {
  return useQuery({
    ...read('getVm', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.active_job ? WORKING_MS : unlessTold(RESTING_MS)()),
  });
}
