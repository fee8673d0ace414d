import { queryOptions } from '@tanstack/react-query';
import { callPage } from '../api/client.ts';

/** One page of the list. That is enough for the shell, which counts machines, finds them and shows their jobs. */
const FIRST = 100;
/** Polling interval while a job runs. */
const BUSY_MS = 2_000;

export const firstMachinesQuery = queryOptions({
  queryKey: ['listVms', 'first', {}] as const,
  queryFn: ({ signal }) => callPage('listVms', { query: { limit: FIRST } }, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.items.some(({ active_job }) => active_job) ? BUSY_MS : false,
});
