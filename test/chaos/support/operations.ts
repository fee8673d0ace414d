import assert from 'node:assert/strict';
import type { Customer, Reply } from './customer.ts';

/** An operation that costs money and goes on as a job: how it is asked for, and what it must come to. */
export interface Operation {
  name: string;
  /** The kind of its order, of which its VM has exactly one afterwards. */
  orderKind: string;
  orderStatus: 'completed' | 'failed';
  /** `vmId` is the VM of the operation before it. */
  request(vmId: string): { method: string; path: string; body?: unknown };
  /** Fails unless the VM is what the operation was to make of it; undefined is a VM that is gone. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  check(vm: any): void;
}

const CREATE = { plan: 's1', template: 'debian-12' };

export const create: Operation = {
  name: 'create',
  orderKind: 'create',
  orderStatus: 'completed',
  request: () => ({ method: 'POST', path: '/v1/vm', body: { ...CREATE, hostname: 'web-1' } }),
  check: (vm) => assert.deepEqual([vm.status, vm.plan], ['running', 's1']),
};

/** A creation whose last step fails, so that all of them are undone. */
export const doomedCreate: Operation = {
  name: 'doomed create',
  orderKind: 'create',
  orderStatus: 'failed',
  request: () => ({ method: 'POST', path: '/v1/vm', body: { ...CREATE, hostname: 'sim-fail-start' } }),
  check: (vm) => assert.deepEqual([vm.status, vm.ipv4], ['error', null]),
};

export const changePlan: Operation = {
  name: 'change plan',
  orderKind: 'change_plan',
  orderStatus: 'completed',
  request: (vmId) => ({
    method: 'POST',
    path: `/v1/vm/${vmId}/change-plan`,
    body: { plan: 's2', allow_reboot: true },
  }),
  check: (vm) => assert.deepEqual([vm.status, vm.plan], ['running', 's2']),
};

export const changeCustom: Operation = {
  name: 'change custom',
  orderKind: 'change_custom',
  orderStatus: 'completed',
  request: (vmId) => ({
    method: 'POST',
    path: `/v1/vm/${vmId}/change-custom`,
    body: { vcpu: 4, allow_reboot: true },
  }),
  check: (vm) => assert.deepEqual([vm.status, vm.plan, vm.vcpu], ['running', null, 4]),
};

export const remove: Operation = {
  name: 'delete',
  orderKind: 'delete_refund',
  orderStatus: 'completed',
  request: (vmId) => ({ method: 'DELETE', path: `/v1/vm/${vmId}` }),
  check: (vm) => assert.equal(vm, undefined),
};

/** Asks for the operation under this Idempotency-Key. */
export function ask(customer: Customer, operation: Operation, vmId: string, key: string): Promise<Reply> {
  const { method, path, body } = operation.request(vmId);
  return customer.send(method, path, { body, idempotencyKey: key });
}

/**
 * Fails unless the operation that answered `reply` happened exactly once and `customer`, who began with
 * `credit` minor units, paid just that.
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
  const mine = orders.filter(({ vm_id, kind }) => vm_id === id && kind === operation.orderKind);
  assert.deepEqual(
    mine.map((order) => order.status),
    [operation.orderStatus],
  );
  const paid = orders.reduce(
    (sum, order) => sum + (order.status === 'completed' ? order.amount_minor : 0),
    0,
  );
  const { available_minor, held_minor } = await customer.ask('GET', '/v1/billing/wallet');
  assert.deepEqual({ available_minor, held_minor }, { available_minor: credit - paid, held_minor: 0 });
}
