import assert from 'node:assert/strict';
import type { Client } from '../support/client.ts';
import type { Vm } from '../support/shapes.ts';
import { newPublicKey } from '../support/valid-calls.ts';
import { furnish, idle, newVm, type Subject } from '../support/world.ts';

/** Switches a VM off and on in every way, then adds a key and a password. */
export async function power({ client }: Subject): Promise<void> {
  const vm = await newVm(client, 'power');
  const at = [vm.id];
  for (const [operation, status] of [
    ['stopVm', 'stopped'],
    ['startVm', 'running'],
    ['rebootVm', 'running'],
    ['forceStopVm', 'stopped'],
  ] as const) {
    await client.ok(operation, { at });
    assert.equal((await idle(client, vm.id)).status, status, operation);
  }
  await changeSize(client, vm);
  await client.ok('startVm', { at });
  await idle(client, vm.id);
  await client.ok('attachSshKey', { at, body: { public_key: newPublicKey() } });
  await idle(client, vm.id);
  const access = await client.ok<{ username: string; password: string }>('resetPassword', { at, body: {} });
  assert.equal(access.username, 'debian');
  await idle(client, vm.id);
}

/** A stopped VM can be resized without permission to reboot. */
async function changeSize(client: Client, vm: Vm): Promise<void> {
  await client.ok('changeCustom', { at: [vm.id], body: { vcpu: 2 } });
  const changed = await idle(client, vm.id);
  assert.deepEqual([changed.plan, changed.status], [null, 'stopped']);
}

/** Removes everything that was added; a second removal finds nothing. */
export async function takeAway({ client }: Subject): Promise<void> {
  const vm = await newVm(client, 'take-away');
  const ids = await furnish(client, vm.id);
  for (const [operation, collection] of [
    ['deleteFirewallRule', 'firewall'],
    ['deletePortForward', 'port-forwarding'],
    ['deleteSnapshot', 'snapshots'],
    ['deleteConsoleShare', 'console-shares'],
  ] as const) {
    const at = [vm.id, ids[collection]!];
    await client.ok(operation, { at });
    await gone(client, operation, at);
  }
}

/** A rule may stay visible as `removing` until the engine has released it. */
async function gone(client: Client, operation: string, at: string[]): Promise<void> {
  await idle(client, at[0]!);
  const answer = await client.call(operation, { at });
  assert.ok(answer.code === 'not_found' || answer.status === 200, answer.text);
}
