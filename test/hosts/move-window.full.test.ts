import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { drainHost, undrainHost } from '../../server/db/queries/hosts/hosts.ts';
import { systemListMails } from '../../server/db/queries/service/mails.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { emptyHosts } from '../../server/jobs/reconcilers/empty-hosts.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { renderMail } from '../../server/mail/render.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { startOperator } from '../operator/support.ts';
import { vaubanctl } from '../operator/vaubanctl.ts';
import { assertInvariants } from '../support/invariants.ts';
import { Rack } from './support.ts';

const HOUR_MS = 3_600_000;
const HOSTS = [{ name: 'a' }, { name: 'b' }];

/**
 * A rack with one customer, whose VMs will move off the first VM's host in a window of two hours that begins a day
 * later.
 */
class Maintenance {
  readonly rack: Rack;
  readonly customer: Customer;
  readonly from: Date;
  readonly to: Date;

  static async open(t: TestContext, move: 'cold' | 'live' = 'cold'): Promise<Maintenance> {
    const rack = await Rack.open(t, { hosts: HOSTS, move });
    return new Maintenance(rack, await rack.customer());
  }

  private constructor(rack: Rack, customer: Customer) {
    this.rack = rack;
    this.customer = customer;
    this.from = rack.installation.services.clock.now();
    this.from = new Date(this.from.getTime() + 24 * HOUR_MS);
    this.to = new Date(this.from.getTime() + 2 * HOUR_MS);
  }

  drain(hostId: string): Promise<void> {
    return drainHost(this.rack.db, hostId, { from: this.from, to: this.to });
  }

  /** Runs the service's regular check of drained hosts, and all jobs to completion. */
  async round(): Promise<void> {
    await emptyHosts(this.rack.installation.services);
    await this.rack.finish();
  }

  async roundAt(at: Date): Promise<void> {
    this.rack.installation.services.clock.set(at);
    await this.round();
  }

  vm(id: string) {
    return this.customer.must({ method: 'GET', path: `/v1/vm/${id}` });
  }

  /** Returns the types of the events about moves, sorted by name: events of the same instant have no order. */
  async told(id: string): Promise<string[]> {
    const events: { type: string }[] = await this.customer.must({
      method: 'GET',
      path: `/v1/vm/${id}/events?limit=100`,
    });
    return events
      .map(({ type }) => type)
      .filter((type) => type.startsWith('vm.move'))
      .sort();
  }
}

const soon = (at: Date) => new Date(at.getTime() + 60_000);
const justBefore = (at: Date) => new Date(at.getTime() - 60_000);

test('a running VM is switched off and moved in the window, and its owner is notified once', async (t) => {
  const it = await Maintenance.open(t);
  const { rack, from, to } = it;
  const id = await rack.buy(it.customer, { start: true });
  const host = (await rack.hostOf(id))!;
  assert.equal((await it.vm(id)).move_window, null);
  await it.drain(host);
  await it.round();
  await it.round();
  assert.deepEqual((await it.vm(id)).move_window, { from_at: from.toISOString(), to_at: to.toISOString() });
  assert.deepEqual(await it.told(id), ['vm.move_scheduled']);
  await it.roundAt(justBefore(from));
  assert.equal(await rack.hostOf(id), host);
  assert.equal((await it.vm(id)).status, 'running');
  await it.roundAt(soon(from));
  assert.notEqual(await rack.hostOf(id), host);
  const vm = await it.vm(id);
  assert.equal(vm.status, 'running');
  assert.equal(vm.move_window, null);
  assert.deepEqual(await it.told(id), ['vm.move_requested', 'vm.move_scheduled', 'vm.moved']);
  await assertInvariants(rack.db);
});

test('a VM that is off is moved at once, and so is one that its owner switches off before the window', async (t) => {
  const it = await Maintenance.open(t);
  const { rack } = it;
  const on = await rack.buy(it.customer, { start: true });
  const host = (await rack.hostOf(on))!;
  await rack.buy(it.customer);
  const off = await rack.buy(it.customer);
  assert.equal(await rack.hostOf(off), host);
  await it.drain(host);
  await it.round();
  assert.notEqual(await rack.hostOf(off), host);
  assert.equal(await rack.hostOf(on), host);
  await it.customer.must({ method: 'POST', path: `/v1/vm/${on}/stop`, body: {} });
  await rack.finish();
  await it.round();
  assert.notEqual(await rack.hostOf(on), host);
  const vm = await it.vm(on);
  assert.equal(vm.status, 'stopped');
  assert.equal(vm.move_window, null);
  assert.deepEqual(await it.told(off), ['vm.move_requested', 'vm.moved']);
});

test('a VM that moves live waits for no window', async (t) => {
  const it = await Maintenance.open(t, 'live');
  const id = await it.rack.buy(it.customer, { start: true });
  const host = (await it.rack.hostOf(id))!;
  await it.drain(host);
  await it.round();
  assert.notEqual(await it.rack.hostOf(id), host);
  assert.deepEqual(await it.told(id), ['vm.move_requested', 'vm.moved']);
});

test('VMs left when the window is over stay, and their owners are notified', async (t) => {
  const it = await Maintenance.open(t);
  const { rack, from, to } = it;
  const id = await rack.buy(it.customer, { start: true });
  const host = (await rack.hostOf(id))!;
  await it.drain(host);
  await it.round();
  // Nothing checks the hosts while the window is open: the service was down.
  await it.roundAt(to);
  await it.round();
  assert.equal(await rack.hostOf(id), host);
  assert.equal((await it.vm(id)).move_window, null);
  assert.deepEqual(await it.told(id), ['vm.move_canceled', 'vm.move_scheduled']);
  // Another window, then none: the latest command counts.
  const next = { from: new Date(from.getTime() + 48 * HOUR_MS), to: new Date(to.getTime() + 48 * HOUR_MS) };
  await drainHost(rack.db, host, next);
  await it.round();
  assert.equal((await it.vm(id)).move_window.from_at, next.from.toISOString());
  await drainHost(rack.db, host, null);
  await it.round();
  assert.notEqual(await rack.hostOf(id), host);
  assert.equal((await it.vm(id)).move_window, null);
});

test('an undrained host moves nothing, and notified owners are notified of that', async (t) => {
  const it = await Maintenance.open(t);
  const { rack } = it;
  const { services } = rack.installation;
  const { db, secrets, clock } = services;
  const { accountId } = it.customer;
  await db.transaction(async (tx) => {
    const person = { email: 'ada@example.com', name: '', locale: 'de', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, person);
    await addMember(tx, clock, { personId, accountId, role: 'owner' });
  });
  const id = await rack.buy(it.customer, { start: true });
  const host = (await rack.hostOf(id))!;
  await it.drain(host);
  await it.round();
  await undrainHost(db, host);
  await it.roundAt(soon(it.from));
  assert.equal(await rack.hostOf(id), host);
  assert.deepEqual(await it.told(id), ['vm.move_canceled', 'vm.move_scheduled']);
  const rows = (await systemListMails(db, undefined, { limit: 100, afterId: null })).reverse();
  const mails = rows
    .filter(({ template }) => template.startsWith('vm_move'))
    .map(({ template, sealed_values, locale }) =>
      renderMail(template, JSON.parse(secrets.open(sealed_values!, MAIL_PURPOSE)), locale, {
        brand: services.brand,
        panelUrl: 'https://panel.example',
      }),
    );
  const [scheduled, canceled] = mails;
  assert.equal(mails.length, 2);
  assert.match(scheduled!.subject, /^Wartung: .* wird kurz abgeschaltet$/);
  assert.match(scheduled!.text, /schalten Sie die Maschine vorher aus/);
  assert.match(canceled!.subject, /^Wartung abgesagt: /);
});

test('vaubanctl drains with a window; an invalid window is refused and changes nothing', async (t) => {
  const { dataDir } = await startOperator(t, { hosts: HOSTS, move: 'cold' });
  const drain = (...args: string[]) => vaubanctl(dataDir, 'host', 'drain', ...args, '--yes');
  const hosts = async (): Promise<{ state: string; move_window: object | null }[]> =>
    JSON.parse((await vaubanctl(dataDir, 'host', 'list', '--json')).stdout);
  const refusals: [string[], RegExp][] = [
    [['a', '--from', '12h'], /to.*is required with `from`/],
    [['a', '--to', '12h'], /from.*is required with `to`/],
    [['a', '--from', '14h', '--to', '12h'], /to.*must be later than `from/],
    [['a', '--from', '2020-01-01T00:00:00Z', '--to', '2020-01-01T02:00:00Z'], /to.*must not be in the past/],
    [['a', '--from', 'tomorrow', '--to', '2d'], /Use 2/],
    [['--from', '12h', '--to', '14h'], /name it/],
  ];
  for (const [args, reason] of refusals) {
    const { code, stderr } = await drain(...args);
    assert.notEqual(code, 0, args.join(' '));
    assert.match(stderr, reason);
  }
  assert.deepEqual(
    (await hosts()).map(({ state, move_window }) => [state, move_window]),
    [
      ['up', null],
      ['up', null],
    ],
  );
  const window = ['--from', '2100-01-01T02:00:00Z', '--to', '2100-01-01T04:00:00Z'];
  const { stdout, stderr } = await drain('a', ...window);
  // The host is empty.
  assert.match(stdout, /^a +evacuated/m, stderr);
  assert.deepEqual((await hosts())[0]!.move_window, {
    from_at: '2100-01-01T02:00:00.000Z',
    to_at: '2100-01-01T04:00:00.000Z',
  });
  await vaubanctl(dataDir, 'host', 'undrain', 'a');
  assert.equal((await hosts())[0]!.move_window, null);
});
