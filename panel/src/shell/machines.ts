import { queryOptions } from '@tanstack/react-query';
import { callPage } from '../api/client.ts';

/** As many as one answer holds: enough for the shell, which counts machines, finds them and shows what they do. */
const FIRST = 100;
/** While something is under way, how often it is looked at where the service does not tell. */
const BUSY_MS = 2_000;

/** The first page of the machines. */
export const firstMachinesQuery = queryOptions({
  queryKey: ['listVms', 'first', {}] as const,
  queryFn: ({ signal }) => callPage('listVms', { query: { limit: FIRST } }, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.items.some(({ active_job }) => active_job) ? BUSY_MS : false,
});
