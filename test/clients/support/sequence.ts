import type { Call } from '../../acceptance/support/client.ts';
import { OPERATIONS, type Operation } from '../../acceptance/support/document.ts';
import { type Ids, validCall } from '../../acceptance/support/valid-calls.ts';

/** The caller: the service, the key, and the ids of the objects. */
export interface Customer {
  url: string;
  key: string;
  ids: Ids;
}

/** These change objects that the others need, and go last: in this order each finds its VM in the required state. */
export const LAST = [
  ...['rebootVm', 'stopVm', 'changeCustom', 'changePlan', 'startVm', 'forceStopVm'],
  ...['deleteFirewallRule', 'deletePortForward', 'deleteSnapshot', 'deleteConsoleShare', 'deleteSshKey'],
  ...['deleteShieldRule', 'deleteVm'],
];

/** Another size than the VM's plan. */
const SIZE = { vcpu: 3, ram_mb: 4096, allow_reboot: true };

/** Returns every operation in an order in which all of them succeed. */
export const inOrder = (): Operation[] =>
  [...OPERATIONS].sort((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id));

export function callOf(operation: Operation, ids: Ids): Call {
  const call = validCall(operation, ids);
  return operation.id === 'changeCustom' ? { ...call, body: SIZE } : call;
}

/** An operation with a job is followed by a wait for the job's end, except for the deletion of the VM itself. */
export const isFollowedByWait = ({ id, method }: Operation) => method !== 'GET' && id !== 'deleteVm';
