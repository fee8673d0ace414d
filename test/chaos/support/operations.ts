import assert from 'node:assert/strict';
import { call } from '../../operator/support.ts';
import type { Customer, Reply } from './customer.ts';

/** An operation that starts a job: its request and its required result. */
export interface Operation {
  name: string;
  /** The order of a charge or refund: afterwards the VM has exactly one order of this kind. */
  order?: { kind: string; status: 'completed' | 'failed' };
  /** The kind of job, for operations on the operator's socket, whose replies are not replayed. */
  operatorJob?: string;
  /** `vmId` is the VM of the previous operation; `snapshotId` is one of its snapshots, if there is one. */
  request(vmId: string, snapshotId: string): { method: string; path: string; body?: unknown };
  /** Fails unless the operation has changed the VM as intended; undefined means a deleted VM. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  check(vm: any): void;
}

const CREATE = { plan: 's1', template: 'debian-12' };

export const create: Operation = {
  name: 'create',
  order: { kind: 'create', status: 'completed' },
  request: () => ({ method: 'POST', path: '/v1/vm', body: { ...CREATE, hostname: 'web-1' } }),
  check: (vm) => assert.deepEqual([vm.status, vm.plan], ['running', 's1']),
};

/** A creation whose last step fails, so that all of them are undone. */
export const doomedCreate: Operation = {
  name: 'doomed create',
  order: { kind: 'create', status: 'failed' },
  request: () => ({ method: 'POST', path: '/v1/vm', body: { ...CREATE, hostname: 'sim-fail-start' } }),
  check: (vm) => assert.deepEqual([vm.status, vm.ipv4], ['error', null]),
};

export const changePlan: Operation = {
  name: 'change plan',
  order: { kind: 'change_plan', status: 'completed' },
  request: (vmId) => ({
    method: 'POST',
    path: `/v1/vm/${vmId}/change-plan`,
    body: { plan: 's2', allow_reboot: true },
  }),
  check: (vm) => assert.deepEqual([vm.status, vm.plan], ['running', 's2']),
};

export const changeCustom: Operation = {
  name: 'change custom',
  order: { kind: 'change_custom', status: 'completed' },
  request: (vmId) => ({
    method: 'POST',
    path: `/v1/vm/${vmId}/change-custom`,
    body: { vcpu: 4, allow_reboot: true },
  }),
  check: (vm) => assert.deepEqual([vm.status, vm.plan, vm.vcpu], ['running', null, 4]),
};

export const restore: Operation = {
  name: 'restore',
  operatorJob: 'snapshot_restore',
  request: (vmId, snapshot_id) => ({ method: 'POST', path: `/vms/${vmId}/restore`, body: { snapshot_id } }),
  check: (vm) => assert.deepEqual([vm.status, vm.template], ['running', 'debian-12']),
};

export const rebuild: Operation = {
  name: 'rebuild',
  operatorJob: 'rebuild',
  request: (vmId) => ({
    method: 'POST',
    path: `/vms/${vmId}/rebuild`,
    body: { template: 'alpine-3.22', delete_snapshots: true },
  }),
  check: (vm) => assert.deepEqual([vm.status, vm.template], ['running', 'alpine-3.22']),
};

export const remove: Operation = {
  name: 'delete',
  order: { kind: 'delete_refund', status: 'completed' },
  request: (vmId) => ({ method: 'DELETE', path: `/v1/vm/${vmId}` }),
  check: (vm) => assert.equal(vm, undefined),
};

export function ask(
  customer: Customer,
  operation: Operation,
  vmId: string,
  key: string,
  snapshotId = '',
): Promise<Reply> {
  const { method, path, body } = operation.request(vmId, snapshotId);
  if (operation.operatorJob) return askOperator(customer, operation.operatorJob, vmId, path, body);
  return customer.send(method, path, { body, idempotencyKey: key });
}

/** Sends the operation to the operator's socket, unless its job has already been started. */
async function askOperator(
  customer: Customer,
  kind: string,
  vmId: string,
  path: string,
  body: unknown,
): Promise<Reply> {
  const jobs: { kind: string }[] = await customer.ask('GET', `/v1/vm/${vmId}/jobs?status=all&limit=100`);
  const text = JSON.stringify({ data: { vm: { id: vmId } } });
  const done = { status: 200, text, json: JSON.parse(text) };
  if (jobs.some((job) => job.kind === kind))
    return { ...done, headers: new Headers({ 'idempotent-replayed': 'true' }) };
  const reply = await call(customer.target.operatorSocket, 'POST', path, body);
  assert.equal(reply.status, 200, reply.text);
  return { ...done, headers: new Headers() };
}

/**
 * Fails unless the operation behind `reply` happened exactly once, and `customer`, who began with `credit` minor units,
 * paid exactly for that.
 */
export async function assertOnce(
  customer: Customer,
  operation: Operation,
  reply: Reply,
  credit: number,
): Promise<void> {
  assert.equal(reply.status, 200, reply.text);
  const { id } = reply.json.data.vm;
  const { status, json } = await customer.send('GET', `/v1/vm/${id}`);
  operation.check(status === 404 ? undefined : json.data);
  const orders: { vm_id: string; kind: string; status: string; amount_minor: number }[] = await customer.ask(
    'GET',
    '/v1/billing/orders?limit=100',
  );
  const { order } = operation;
  const mine = orders.filter(({ vm_id, kind }) => vm_id === id && kind === order?.kind);
  assert.deepEqual(
    mine.map(({ status }) => status),
    order ? [order.status] : [],
  );
  const paid = orders.reduce(
    (sum, order) => sum + (order.status === 'completed' ? order.amount_minor : 0),
    0,
  );
  const { available_minor, held_minor } = await customer.ask('GET', '/v1/billing/wallet');
  assert.deepEqual({ available_minor, held_minor }, { available_minor: credit - paid, held_minor: 0 });
}
