import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { call, callPage } from '../../../api/client.ts';
import type { Vm } from '../../../api/customer.ts';
import { isRefusal } from '../../../api/errors.ts';
import { onChange, unlessTold } from '../../../api/live.ts';
import { read, readAll } from '../../../api/queries.ts';
import { type Page, withMachine, withoutMachine } from './pages.ts';

/** The most that the service answers at once. */
const PAGE = 100;

/** Not `listVms`: what that begins with is read again whole with each change, which for ten thousand is a hundred pages. */
const KEY = ['machines', 'pages'];
/** Changes that come together are read together. */
const TOGETHER_MS = 250;
/** More machines than this are read by their pages, with fewer requests. */
const ONE_BY_ONE = 20;
/** How old the list gets where the stream of changes is not to be had. */
const OLDEST_MS = 60_000;

/**
 * All machines, read page by page: those that came first are shown while the rest is under way, so that ten thousand
 * keep no one waiting. One that changes is read alone.
 */
export function useMachines(): {
  machines: Vm[];
  isComplete: boolean;
  isLoading: boolean;
  error: Error | null;
} {
  const query = useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ signal, pageParam }) =>
      callPage('listVms', { query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    select: allItems,
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= 1 && unlessTold(OLDEST_MS)(),
  });
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  useChangedMachines();
  return {
    machines: query.data ?? NOTHING,
    isComplete: query.isSuccess && !hasNextPage,
    isLoading: query.isPending,
    error: query.error,
  };
}

/** Keeps the list as the machines are. */
function useChangedMachines(): void {
  const client = useQueryClient();
  useEffect(() => {
    let changed = new Set<string | null>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = async () => {
      timer = undefined;
      const ids = [...changed];
      changed = new Set();
      if (ids.includes(null) || ids.length > ONE_BY_ONE) return client.invalidateQueries({ queryKey: KEY });
      await Promise.all(ids.map((id) => readOne(client, id!)));
    };
    const stop = onChange(({ kind, id }) => {
      if (kind !== 'vm') return;
      changed.add(id);
      timer ??= setTimeout(() => void readAgain(), TOGETHER_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client]);
}

async function readOne(client: QueryClient, id: string): Promise<void> {
  try {
    const vm = await call('getVm', { params: { id } });
    client.setQueryData<Pages>(KEY, (pages) => pages && { ...pages, pages: withMachine(pages.pages, vm) });
  } catch (error) {
    if (!isRefusal(error, 'not_found')) return;
    client.setQueryData<Pages>(KEY, (pages) => pages && { ...pages, pages: withoutMachine(pages.pages, id) });
  }
}

type Pages = InfiniteData<Page<Vm>, string>;

/** The same function each time, so that ten thousand are put together only when one has changed. */
const allItems = ({ pages }: Pages) => pages.flatMap(({ items }) => items);

const NOTHING: Vm[] = [];

/** What the list says of a machine beside what it is. */
export interface Remark {
  attack?: 'under_attack' | 'mitigating';
  isProtected?: boolean;
  unpaid?: { suspends_at: string; suspended_at: string | null; deletes_at: string };
}

/** Attacks and unpaid bills by machine, which the list of machines does not know of. */
export function useRemarks(): ReadonlyMap<string, Remark> {
  const summary = useQuery(read('getBillingSummary'));
  const tenants = summary.data?.shield_tenant_ids ?? [];
  const targets = useQueries({
    queries: tenants.map((tid) => readAll('listShieldTargets', { params: { tid }, query: {} })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const unpaid = summary.data?.unpaid;
  return useMemo(() => {
    const remarks = new Map<string, Remark>();
    const remark = (id: string, more: Remark) => remarks.set(id, { ...remarks.get(id), ...more });
    for (const { vm_id, status } of targets)
      if (vm_id) remark(vm_id, { isProtected: true, ...(status !== 'clean' && { attack: status }) });
    for (const { vm_id, ...when } of unpaid ?? []) remark(vm_id, { unpaid: when });
    return remarks;
  }, [targets, unpaid]);
}
