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

/** The largest page that the service returns. */
const PAGE = 100;

/**
 * Not `listVms`: every change refetches the queries whose keys begin with that, which for 10,000 machines is 100 pages.
 */
const KEY = ['machines', 'pages'];
/** Changes within this time are fetched together. */
const TOGETHER_MS = 250;
/** If more machines than this change at once, refetching the pages takes fewer requests. */
const ONE_BY_ONE = 20;
/** Maximum age of the list while the stream of changes is unavailable. */
const OLDEST_MS = 60_000;

/**
 * Returns all machines. The first pages are shown while the rest loads, so that 10,000 machines keep no one waiting. A
 * changed machine is refetched individually.
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

/** A stable function, so that React Query only joins the pages again after a change. */
const allItems = ({ pages }: Pages) => pages.flatMap(({ items }) => items);

const NOTHING: Vm[] = [];

/** Facts about a machine that the list of machines does not include. */
export interface Remark {
  attack?: 'under_attack' | 'mitigating';
  isProtected?: boolean;
  unpaid?: { suspends_at: string; suspended_at: string | null; deletes_at: string };
}

/** Returns attacks and unpaid bills by machine id. */
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
