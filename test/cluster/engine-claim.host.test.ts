// Runs on both engines: session locks differ.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EngineClaim } from '../../server/cluster/engine-claim.ts';
import { type ComputeDriver, ComputeUnavailableError } from '../../server/compute/driver.ts';
import { withOwnershipCheck } from '../../server/compute/ownership-check.ts';
import { createUserNetwork } from '../../server/compute/qemu/network/user-network.ts';
import { Cores } from '../../server/compute/qemu/process/cores.ts';
import { createDirectLauncher } from '../../server/compute/qemu/process/direct-launcher.ts';
import { createQemu } from '../../server/compute/qemu/qemu.ts';
import { createSimulator } from '../../server/compute/simulator/simulator.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { migrateUp } from '../../server/db/migrate.ts';
import { engines } from '../../server/db/migrations/0008-engines.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { insertVmWithMac } from '../../server/domain/vms/mac.ts';
import { Readiness } from '../../server/http/operator/readiness.ts';
import { ManualClock, systemClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { fundedAccount, newVm, storedVm } from '../billing/support.ts';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { Fixture, PURCHASE } from '../jobs/support/fixture.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase, freshDatabaseLocation } from '../support/database.ts';
import { failingStart, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { startService } from '../support/service.ts';
import { skipUnlessInstalled } from '../support/tiny-image.ts';

const ENGINE_LOCK = 7226_0007;
const logger = createLogger({ logLevel: 'silent' });
const skipWithoutQemu = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');

/** Creates a directory for guests; it is removed when the test ends. */
function guestsDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'e-'));
  defer(t, () => rm(directory, { recursive: true }));
  return directory;
}

/** Returns the real QEMU driver over a directory. No guest is started, so it needs nothing from this host. */
function qemu(t: TestContext, directory: string): ComputeDriver {
  const compute = createQemu({
    clock: systemClock,
    logger,
    directory,
    images: { find: async () => undefined, list: async () => [], unreadable: async () => [] },
    network: createUserNetwork(systemClock),
    launcher: createDirectLauncher(systemClock),
    accelerator: 'tcg',
    capacity: { cpuOvercommit: 1 },
    zones: null,
    cores: new Cores(),
    nameservers: [],
  });
  defer(t, () => compute.close());
  return compute;
}

const simulator = (db: Database) =>
  createSimulator({ store: new SimulatorGuests(db), clock: new ManualClock(), bootSeconds: 0 });

async function take(t: TestContext, db: Database, compute: ComputeDriver): Promise<EngineClaim> {
  const claim = await EngineClaim.take({ db, clock: systemClock, compute, reason: 'the test says so' });
  defer(t, () => claim.leave());
  return claim;
}

test('VMs stay with the directory of guests in which they were created', async (t) => {
  const db = await freshDatabase(t);
  const directory = guestsDirectory(t);
  const claim = await take(t, db, qemu(t, directory));
  assert.match(claim.engine, /^qemu:[0-9a-f-]{36}$/);
  const clock = new ManualClock();
  await storedVm(db, clock, await fundedAccount(db, clock), { engine: claim.engine });
  await claim.leave();
  await assert.rejects(take(t, db, simulator(db)), /VAUBAN_COMPUTE: 1 VM of this database run on qemu/);
  await assert.rejects(take(t, db, qemu(t, guestsDirectory(t))), /VAUBAN_DATA_DIR: the guests of 1 VM/);
  assert.equal((await take(t, db, qemu(t, directory))).engine, claim.engine);
});

test('VMs stay with the cluster in which they were created, and the responsible setting is named', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  await storedVm(db, clock, await fundedAccount(db, clock), { engine: 'incus:one' });
  const cluster = (place: () => Promise<string>): ComputeDriver => {
    const compute = simulator(db);
    const capabilities = () => ({ ...compute.capabilities(), reach: 'every_node' as const });
    return Object.create(compute, {
      name: { value: 'incus' },
      place: { value: place },
      capabilities: { value: capabilities },
    });
  };
  await assert.rejects(
    take(
      t,
      db,
      cluster(async () => 'two'),
    ),
    /VAUBAN_INCUS_ENDPOINTS: the guests of 1 VM are not in this cluster; name members of the one whose user\.vauban\.cluster is one/,
  );
  const away = () => Promise.reject(new Error('no member answers'));
  await assert.rejects(take(t, db, cluster(away)), /VAUBAN_INCUS_ENDPOINTS: no member answers/);
  assert.equal(
    (
      await take(
        t,
        db,
        cluster(async () => 'one'),
      )
    ).engine,
    'incus:one',
  );
});

test('the migration finds out what made the VMs, and keeps MAC addresses that two have', async (t) => {
  const db = await freshDatabase(t);
  await db.script(`delete from migrations where name = '${engines.name}'; ${engines.down}`, { ddl: true });
  const clock = new ManualClock();
  const accountId = await fundedAccount(db, clock);
  const insert = (id: string, more: string) =>
    db.script(`insert into vms (id, account_id, hostname, status, template, region, zone, vcpu, ram_mb, disk_gb, mac,
      price_monthly_minor, currency, auto_renew, billing_anchor_day, billing_period_start_at, billing_period_end_at,
      created_at, updated_at, priced_at, provisioned_at)
      values ('${id}', '${accountId}', 'h', 'stopped', 't', 'r', 'z', 1, 1, 1, '52:54:00:00:00:01', 1, 'EUR', true, 1,
      now(), now(), now(), now(), now(), ${more})`);
  await insert('vm_1', 'now()');
  await insert('vm_2', 'now()');
  await insert('vm_3', 'null');
  await db.script(`insert into simulator_guests values ('vm_1', '{}')`);
  await migrateUp(db);
  const rows = await db.query<object>(sql`select id, engine, mac_shared, mac from vms order by id`);
  const mac = '52:54:00:00:00:01';
  assert.deepEqual(rows, [
    { id: 'vm_1', engine: 'simulator', mac_shared: false, mac },
    { id: 'vm_2', engine: 'qemu', mac_shared: true, mac },
    { id: 'vm_3', engine: null, mac_shared: true, mac },
  ]);
});

test('VMs from before engines were recorded are found where their guests are', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const accountId = await fundedAccount(db, clock);
  const vm = await storedVm(db, clock, accountId, { engine: 'qemu' });
  const never = await storedVm(db, clock, accountId, { engine: null, provisioned_at: null, status: 'error' });
  const compute = qemu(t, guestsDirectory(t));
  await assert.rejects(
    take(t, db, compute),
    /VAUBAN_DATA_DIR: the guests of 1 VM are not in this data directory/,
  );
  assert.equal((await systemFindVm(db, vm.id))?.engine, 'qemu');
  const holds = Object.create(compute, {
    place: { value: compute.place },
    list: { value: async () => [{ id: vm.id, power: 'off' }] },
  });
  const { engine } = await take(t, db, holds);
  for (const { id } of [vm, never]) assert.equal((await systemFindVm(db, id))?.engine, engine);
});

test('a node whose claim was taken over stops using its engine until it has it again', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const db = await freshDatabase(t);
  const compute = qemu(t, guestsDirectory(t));
  const claim = await take(t, db, compute);
  const fenced = withOwnershipCheck(compute, () => claim.refusal);
  const clock = new ManualClock();
  const readiness = new Readiness({
    db,
    compute: fenced,
    forwards: { isHere: false, isBehind: false },
    clock,
    logger,
  });
  readiness.enter('running');
  assert.equal(await fenced.inspect('vm_absent'), undefined);

  const other = await db.reserve();
  // It waits in the lock's queue, so that it gets the lock as soon as the first one's session ends.
  const taken = other.query(sql`select pg_advisory_lock(${ENGINE_LOCK})`);
  const holder = sql`select pid from pg_locks where locktype = 'advisory' and objid = ${ENGINE_LOCK} and granted
    and database = (select oid from pg_database where datname = current_database())`;
  const waiting = sql`select 1 from pg_locks where locktype = 'advisory' and objid = ${ENGINE_LOCK} and not granted`;
  while ((await db.query(waiting)).length === 0);
  await db.query(sql`select pg_terminate_backend(pid) from (${holder}) holder`);
  await taken;
  await claim.hold();
  assert.match(claim.refusal ?? '', /^another node/);
  await assert.rejects(fenced.inspect('vm_absent'), ComputeUnavailableError);
  await assert.rejects(fenced.remove('vm_absent'), ComputeUnavailableError);
  assert.equal((await readiness.detailedReport()).parts.compute, 'failing');

  await other.query(sql`select pg_advisory_unlock(${ENGINE_LOCK})`);
  other.release();
  await claim.hold();
  assert.equal(claim.refusal, undefined);
  assert.equal(await fenced.inspect('vm_absent'), undefined);
});

test('a second node with real guests is refused, and so is one with the simulator next to them', {
  skip: skipWithoutPostgres || skipWithoutQemu,
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const another = await forAnotherNode(t, location);
  const settings = { ...SHARED_SETTINGS, VAUBAN_QEMU_ACCEL: 'tcg' };
  const first = await startService(t, { location, env: { ...settings, VAUBAN_COMPUTE: 'qemu' } });
  for (const compute of ['qemu', 'simulator']) {
    const { status, stderr } = await failingStart(another, { ...settings, VAUBAN_COMPUTE: compute });
    assert.equal(status, WRONG_CONFIGURATION, stderr);
    assert.match(
      stderr,
      /^VAUBAN_COMPUTE: another node of this database already runs its VMs[^\n]+; stop it first\n$/,
    );
  }
  // A crash leaves no claim behind.
  await first.kill();
  await startService(t, { location, env: { ...settings, VAUBAN_COMPUTE: 'qemu' } });
});

test('a deletion waits for the engine that has the guest', async (t) => {
  const fixture = await Fixture.open(t);
  const { services } = fixture.installation;
  const [scenario] = await fixture.scenes(1, 'running', false);
  const id = scenario!.vmId!;
  const own = services.engine;
  await fixture.db.query(sql`update vms set engine = 'qemu:elsewhere' where id = ${id}`);
  const { job } = await scenario!.customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  const node = await fixture.installation.openNode();
  await node.runner.runToEnd(job.id);
  const waiting = await systemFindVm(fixture.db, id);
  assert.deepEqual([waiting?.status, waiting?.deleted_at], ['deleting', null]);
  assert.ok(await services.compute.inspect(id), 'nothing was done to the guest');
  await fixture.db.query(sql`update vms set engine = ${own} where id = ${id}`);
  await node.runner.runToEnd(job.id);
  assert.ok((await systemFindVm(fixture.db, id))?.deleted_at);
  assert.equal(await services.compute.inspect(id), undefined);
  await node.stop();
});

test('a purchase is recorded with the engine that creates it', async (t) => {
  const fixture = await Fixture.open(t);
  const [scenario] = await fixture.scenes(1, 'none', false);
  await fixture.play(scenario!, { method: 'POST', path: '/v1/vm', body: PURCHASE });
  assert.equal((await systemFindVm(fixture.db, scenario!.vmId!))?.engine, 'simulator');
});

test('a used MAC address is drawn again, and never assigned twice', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const accountId = await fundedAccount(db, clock);
  const taken = await storedVm(db, clock, accountId, { mac: '52:54:00:00:00:01' });
  const draws = [taken.mac, taken.mac, '52:54:00:00:00:02'];
  const { mac: _, ...vm } = newVm(clock, accountId);
  await insertVmWithMac(db, vm, () => draws.shift()!);
  assert.equal((await systemFindVm(db, vm.id))?.mac, '52:54:00:00:00:02');
  const { mac: __, ...third } = newVm(clock, accountId);
  await assert.rejects(
    insertVmWithMac(db, third, () => taken.mac),
    /no free MAC address/,
  );
  await db.query(sql`update vms set deleted_at = now() where id = ${taken.id}`);
  await insertVmWithMac(db, third, () => taken.mac);
});
