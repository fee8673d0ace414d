import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import { ENGINE } from './engine.ts';
import type { Operator } from './operator.ts';
import { SCOPES } from './roster.ts';
import type { Created, Vm } from './shapes.ts';
import { type Ids, newPublicKey } from './valid-calls.ts';

/** Enough for anything that a test buys, in minor units. */
export const PLENTY = 10_000_000;
export const SMALL = { plan: 's1', template: 'debian-12' };

/** An account with its client and the ids of its things. */
export interface Subject {
  operator: Operator;
  account: string;
  client: Client;
  ids: Ids;
}

/** Creates an account with money and a key with all scopes, but nothing else. */
export async function newSubject(
  operator: Operator,
  client: Client,
  { balance = PLENTY, limits }: { balance?: number; limits?: Record<string, number> } = {},
): Promise<Subject> {
  const account = await operator.account('acceptance', balance, limits);
  return { operator, account, client: client.withKey(await operator.key(account, SCOPES)), ids: {} };
}

/** Requests after which a running VM is booting. */
const BOOTS = ['create', 'start', 'reboot', 'change_plan', 'change_custom'].map(
  (what) => `vm.${what}_requested`,
);
/** The end of a job ends a wait within a moment, even on a busy machine. A wait this long has missed it. */
const TOO_LONG_MS = 25_000;

/**
 * Returns whether a running VM will become ready. The cluster's bridge is the gateway of one region only; VMs of other
 * regions, which would normally have their own clusters, run there without a network.
 */
const boots = ({ region }: Vm) => ENGINE === 'qemu' || (ENGINE === 'incus' && region === 'eu-central');

/**
 * Waits until a real guest has booted, which its events show: that may be some time after its VM is running, or before
 * the job that started it ends.
 */
async function untilBooted(client: Client, id: string): Promise<void> {
  for (;;) {
    const events = await client.ok<{ type: string }[]>('listEvents', { at: [id] });
    // Newest first.
    const last = events.find(({ type }) => BOOTS.includes(type) || type === 'guest.ready');
    if (!last || last.type === 'guest.ready') return;
  }
}

/** Waits until the VM has no job and has booted, however long the engine takes. */
export async function idle(client: Client, id: string): Promise<Vm> {
  const vm = await withoutJob(client, id);
  if (vm.status === 'running' && boots(vm)) await untilBooted(client, id);
  return vm;
}

export async function withoutJob(client: Client, id: string): Promise<Vm> {
  for (;;) {
    const start = Date.now();
    const vm = await client.ok<Vm>('getVm', { at: [id], query: { wait_seconds: 30 } });
    if (vm.active_job) continue;
    const ended = Date.parse(vm.last_job?.finished_at ?? vm.created_at);
    const late = Date.now() - Math.max(start, ended);
    assert.ok(late < TOO_LONG_MS, 'the end of the job did not end the wait');
    return vm;
  }
}

export async function untilGone(client: Client, id: string): Promise<void> {
  const get = () => client.call('getVm', { at: [id], query: { wait_seconds: 30 } });
  let answer = await get();
  while (answer.status === 200) answer = await get();
  assert.equal(answer.code, 'not_found', answer.text);
}

/** Creates a VM and waits for the end of its creation, successful or not. */
export async function newVm(client: Client, hostname: string, more: object = {}): Promise<Vm> {
  const { vm } = await client.ok<Created>('createVm', { body: { ...SMALL, hostname, ...more } });
  return idle(client, vm.id);
}

/** Adds one of everything to an existing VM; returns the ids. */
export async function furnish(client: Client, vmId: string): Promise<Ids> {
  const at = [vmId];
  const rule = await client.ok<{ id: string }>('addFirewallRule', {
    at,
    body: { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['198.51.100.0/24'] },
  });
  const forward = await client.ok<{ id: string }>('addPortForward', {
    at,
    body: { protocol: 'tcp', internal_port: 22 },
  });
  const { snapshot } = await client.ok<{ snapshot: { id: string } }>('createSnapshot', { at, body: {} });
  const share = await client.ok<{ id: string }>('createConsoleShare', { at, body: { mode: 'read_only' } });
  await idle(client, vmId);
  const shares = { 'console-shares': share.id };
  return { ...shares, vm: vmId, firewall: rule.id, 'port-forwarding': forward.id, snapshots: snapshot.id };
}

/** Protects an address and adds a rule for it; returns the ids. */
export async function protect({ operator, account, client }: Subject, ip: string): Promise<Ids> {
  const tenants = await operator.tenant(account);
  const targets = await operator.target(tenants, ip);
  const body = { action: 'block', protocol: 'tcp', destination_ports: ['23'] };
  const rule = await client.ok<{ id: string }>('addShieldRule', { at: [tenants, targets], body });
  return { tenants, targets, rules: rule.id };
}

/** Gives an account one of everything, on a new VM with that name; the ids include the account's own things. */
export async function equip(subject: Subject, hostname: string, more: object = {}): Promise<Ids> {
  const { client } = subject;
  const vm = await newVm(client, hostname, more);
  const key = await client.ok<{ id: string }>('addSshKey', {
    body: { name: hostname, public_key: newPublicKey() },
  });
  const [invoice] = await client.ok<{ id: string }[]>('listInvoices');
  const shield = await protect(subject, vm.ipv4!);
  return { ...(await furnish(client, vm.id)), ...shield, sshkeys: key.id, invoices: invoice!.id };
}
