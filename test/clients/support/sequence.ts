import type { Call } from '../../acceptance/support/client.ts';
import { OPERATIONS, type Operation } from '../../acceptance/support/document.ts';
import { type Ids, validCall } from '../../acceptance/support/valid-calls.ts';

/** Who calls: at which service, with which key, about what. */
export interface Customer {
  url: string;
  key: string;
  ids: Ids;
}

/** These change what the others are about, and go last: in this order each finds its VM as it must be. */
export const LAST = [
  ...['rebootVm', 'stopVm', 'changeCustom', 'changePlan', 'startVm', 'forceStopVm'],
  ...['deleteFirewallRule', 'deletePortForward', 'deleteSnapshot', 'deleteConsoleShare', 'deleteSshKey'],
  ...['deleteShieldRule', 'deleteVm'],
];

/** Another size than that of the plan that the VM has. */
const SIZE = { vcpu: 3, ram_mb: 4096, allow_reboot: true };

/** Every operation, in an order in which all of them succeed. */
export const inOrder = (): Operation[] =>
  [...OPERATIONS].sort((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id));

/** A call of it that succeeds. */
export function callOf(operation: Operation, ids: Ids): Call {
  const call = validCall(operation, ids);
  return operation.id === 'changeCustom' ? { ...call, body: SIZE } : call;
}

/** What takes a job is followed by a wait for its end, except the end of the VM itself. */
export const isFollowedByWait = ({ id, method }: Operation) => method !== 'GET' && id !== 'deleteVm';
