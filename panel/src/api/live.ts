import type { Query, QueryClient } from '@tanstack/react-query';
import type { OperationName } from './operations.ts';
import type { Change } from './panel.ts';

/** The operations whose replies become stale with each kind of change. */
const CHANGED_BY: Record<Change['kind'], OperationName[]> = {
  vm: [
    'listVms',
    'getVm',
    'listEvents',
    'listJobs',
    'listSnapshots',
    'listVolumes',
    'listNics',
    'listFirewallRules',
    'listPortForwards',
    'getVmBilling',
    'listPlanOptions',
    'getPlanQuote',
    'listConsoleShares',
    'getAgentStatus',
    'getUsage',
  ],
  wallet: [
    'getWallet',
    'getBillingSummary',
    'getDebt',
    'listOrders',
    'listPayments',
    'listInvoices',
    'listTopUps',
    'getTopUp',
    'getStatement',
  ],
  shield: ['getShieldSummary', 'listShieldTargets', 'listShieldRules', 'listAttackEvents'],
  keys: ['listKeys'],
};

const listeners = new Set<(change: Change) => void>();

/**
 * Calls `listener` for each change, for lists that are too large to refetch whole. Call the returned function to stop.
 */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Assume that the stream works until it fails. */
let isTold = true;

/**
 * Returns a query's `refetchInterval`: the query polls every `ms` while the service cannot push changes, because the
 * stream is broken or too many tabs are open. Otherwise it never polls.
 */
export const unlessTold = (ms: number) => (): number | false => (isTold ? false : ms);

/** Delay before a broken stream is reopened. */
const REOPEN_MS = 3_000;

/**
 * Refetches the shown queries when the service reports a change, and all of them after a gap in the stream. If the
 * stream cannot be opened, the queries poll instead. Call the returned function to stop.
 */
export function followChanges(client: QueryClient): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasOpen = false;
  const open = () => {
    source = new EventSource('/panel/api/changes');
    source.onopen = () => {
      isTold = true;
      if (wasOpen) void client.invalidateQueries();
      wasOpen = true;
    };
    source.onerror = () => {
      isTold = false;
      // The browser reconnects automatically unless the server refused the stream. Reopen it only if it has worked
      // before.
      if (source?.readyState !== EventSource.CLOSED) return;
      // Refetch once; from here on each query polls.
      if (!wasOpen) return void client.invalidateQueries();
      timer = setTimeout(open, REOPEN_MS);
    };
    source.onmessage = ({ data }) => follow(client, data);
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
    isTold = true;
  };
}

function follow(client: QueryClient, text: string): void {
  const change = JSON.parse(text) as Change;
  for (const listener of listeners) listener(change);
  const { kind, id } = change;
  const names = CHANGED_BY[kind] ?? [];
  void client.invalidateQueries({ predicate: (query) => names.some((name) => concerns(query, name, id)) });
}

/** Returns whether a query reads what has changed. A query for a different id does not. */
function concerns({ queryKey }: Query, name: OperationName, id: string | null): boolean {
  if (queryKey[0] !== name) return false;
  const input = queryKey.at(-1) as { params?: { id?: string } } | undefined;
  const asked = input?.params?.id;
  return !id || !asked || asked === id || !id.startsWith('vm_');
}
