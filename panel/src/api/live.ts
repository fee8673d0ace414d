import type { Query, QueryClient } from '@tanstack/react-query';
import type { OperationName } from './operations.ts';
import type { Change } from './panel.ts';

/** What can change, and which answers it changes. */
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

/** Tells of each change, for what is too large to be read again whole. Ends when the returned function is called. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Taken to be so until it proves otherwise. */
let isTold = true;

/**
 * For a query's `refetchInterval`: how often to look where changes are not told, because the stream is broken or there are
 * too many tabs; never, while they are.
 */
export const unlessTold = (ms: number) => (): number | false => (isTold ? false : ms);

/** How soon a stream that broke is opened again. */
const REOPEN_MS = 3_000;

/**
 * Reads again what is shown and has changed, as the service tells. After a gap everything in sight is read again. Where
 * there is no such stream, queries look for themselves. Ends when the returned function is called.
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
      // A refusal closes it for good: only a stream that has worked is worth another attempt.
      if (source?.readyState !== EventSource.CLOSED) return;
      // Read again once, from which on each query looks for itself.
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

/** Whether a query asks for what has changed; one that names another id does not. */
function concerns({ queryKey }: Query, name: OperationName, id: string | null): boolean {
  if (queryKey[0] !== name) return false;
  const input = queryKey.at(-1) as { params?: { id?: string } } | undefined;
  const asked = input?.params?.id;
  return !id || !asked || asked === id || !id.startsWith('vm_');
}
