// A customer's story, run against a service by a separate process: in a world without IPv6 it must be inside that world
// with the service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { Client, idempotencyKey } from '../../acceptance/support/client.ts';
import { Operator } from '../../acceptance/support/operator.ts';
import { SCOPES } from '../../acceptance/support/roster.ts';
import type { Created, Vm, Wallet } from '../../acceptance/support/shapes.ts';
import { Transport } from '../../acceptance/support/transport.ts';
import { newPublicKey } from '../../acceptance/support/valid-calls.ts';
import { SMALL, untilGone, withoutJob } from '../../acceptance/support/world.ts';

/** Texts that users may choose freely. */
export interface Names {
  account: string;
  key: string;
  sshKey: string;
  notes: string;
  snapshot: string;
}

export interface Told {
  baseUrl: string;
  operatorSocket: string;
  names: Names;
}

async function replyOf(socketPath: string, path: string): Promise<Buffer> {
  const outgoing = request({ socketPath, path, agent: false });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  const bytes = await buffer(response);
  assert.equal(response.statusCode, 200, bytes.toString());
  return bytes;
}

/** Opens the screen of a VM until it sends its name. */
async function look(url: string, ticket: string): Promise<string> {
  const ws = new WebSocket(url, ['binary', ticket]);
  const [first] = await once(ws, 'message');
  ws.terminate();
  return String(first).slice(0, 4);
}

async function tell({ baseUrl, operatorSocket, names }: Told): Promise<unknown> {
  const transport = new Transport(baseUrl);
  const operator = new Operator(operatorSocket);
  const account = await operator.account(names.account, 10_000);
  const client = new Client(transport).withKey(await operator.key(account, SCOPES, { name: names.key }));
  const accountText = await replyOf(operatorSocket, `/accounts/${account}`);
  assert.equal(JSON.parse(accountText.toString()).data.name, names.account);
  const keys = await replyOf(operatorSocket, `/accounts/${account}/keys`);
  assert.equal(JSON.parse(keys.toString()).data[0].name, names.key);
  await client.ok('addSshKey', { body: { name: names.sshKey, public_key: newPublicKey() } });
  const [sshKey] = await client.ok<{ name: string }[]>('listSshKeys');
  assert.equal(sshKey!.name, names.sshKey);

  const quote = await client.ok<{ lines: object[]; total_minor: number }>('getCustomQuote', {
    query: { vcpu: 2, ram_mb: 2048, disk_gb: 20 },
  });
  const { vm } = await client.ok<Created>('createVm', { body: { ...SMALL, hostname: 'web-1' } });
  const at = [vm.id];
  await withoutJob(client, vm.id);
  await client.ok('updateVm', { at, body: { notes: names.notes } });
  await client.ok('createSnapshot', { at, body: { name: names.snapshot } });
  await withoutJob(client, vm.id);
  const [snapshot] = await client.ok<{ name: string }[]>('listSnapshots', { at });
  assert.equal(snapshot!.name, names.snapshot);
  const listed = await client.ok<(Vm & { notes: string })[]>('listVms', {
    query: { status: 'running', hostname: 'web-1' },
  });
  assert.equal(listed[0]!.notes, names.notes);
  const months =
    (Date.parse(listed[0]!.billing_period_end_at) - Date.parse(listed[0]!.created_at)) / 86_400_000;
  assert.ok(months > 27 && months < 32, `a month has ${months} days`);
  const events = await client.ok<{ type: string }[]>('listEvents', { at });
  const bandwidth = await client.ok<{ month: string }>('getVmBandwidth', { at });
  const wallet = await client.ok<Wallet>('getWallet');
  const usage = await client.ok<Record<string, unknown>>('getUsage');
  const invoices = await client.ok<Record<string, unknown>[]>('listInvoices');
  const orders = await client.ok<Record<string, unknown>[]>('listOrders');
  const statement = (await replyOf(operatorSocket, `/accounts/${account}/statement`)).toString().trim();
  const entries = statement.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  const screen = await client.ok<{ ws_url: string; ticket: string }>('getConsole', { at });
  const seen = await look(screen.ws_url, screen.ticket);
  await client.ok('deleteVm', { at, headers: idempotencyKey('the-end') });
  await untilGone(client, vm.id);
  const after = await client.ok<Wallet>('getWallet');
  transport.close();
  return {
    quote: [quote.lines, quote.total_minor],
    vms: listed.map(({ hostname, plan, status, region, price_monthly_minor }) => {
      return { hostname, plan, status, region, price_monthly_minor };
    }),
    events: events.map(({ type }) => type).sort(),
    isThisMonth: JSON.stringify(bandwidth).includes(new Date().toISOString().slice(0, 7)),
    wallet: wallet.balance_minor,
    usage: [usage.vms, usage.vcpu, usage.ram_mb, usage.disk_gb, usage.snapshots],
    invoices: invoices.map(({ type, status, total_minor, tax_minor }) => {
      return { type, status, total_minor, tax_minor };
    }),
    orders: orders.map(({ kind, status, amount_minor }) => ({ kind, status, amount_minor })),
    // An invoice becomes a document when its month is over.
    statement: entries.map(({ reason, amount_minor, available_minor }) => [
      reason,
      amount_minor,
      available_minor,
    ]),
    seen,
    isRefunded: after.balance_minor > wallet.balance_minor,
  };
}

if (process.argv[2] !== undefined)
  process.stdout.write(JSON.stringify(await tell(JSON.parse(process.argv[2]) as Told)));
