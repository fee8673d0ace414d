import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { VM } from '../../../api/customer.ts';
import { read, readAll, readPages } from '../../../api/queries.ts';

/** The most that the service answers at once. */
const PAGE = 100;

/**
 * All machines, read page by page: those that came first are shown while the rest is under way, so that ten thousand
 * keep nobody waiting.
 */
export function useMachines(): {
  machines: VM[];
  isComplete: boolean;
  isLoading: boolean;
  error: Error | null;
} {
  const query = useInfiniteQuery(readPages('listVms', { query: { limit: PAGE } }));
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  return {
    machines: query.data ?? NOTHING,
    isComplete: query.isSuccess && !hasNextPage,
    isLoading: query.isPending,
    error: query.error,
  };
}

const NOTHING: VM[] = [];

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
