import assert from 'node:assert/strict';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { READY_MS } from '../../../server/compute/qemu/guest/readiness.ts';
import { tapName } from '../../../server/compute/qemu/routed/names.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { Chaos, FILLER } from '../support/chaos.ts';
import { type Helper, helperOf, mountPool } from '../support/helper.ts';
import { logIn } from '../support/internet.ts';
import { machines, output } from '../support/machines.ts';

/** Small: two guests fill it quickly with data that their image does not contain. */
const POOL_MB = 320;
/** For the test of a guest that runs out of space: it writes more than the pool has left. */
const LEFT_MB = 60;
const WRITTEN_MB = 100;
const KILLS = 3;
const ORDER = { plan: 'small', template: 'tiny', hostname: 'web' };
const KEY = freshKeyPair();

test('real guests, run by the helper, survive mishaps of their host', async (t) => {
  let helper!: Helper;
  const umask = process.umask();
  defer(t, () => process.umask(umask));
  const chaos = await Chaos.start(t, {
    env: { VAUBAN_QEMU_NETWORK: 'routed', VAUBAN_QEMU_DISK_GB: '2' },
    templates: { mute: ({ directBoot }) => ({ directBoot: { ...directBoot!, append: NEVER } }) },
    async prepare(dataDir) {
      await mountPool(t, join(dataDir, 'guests'), POOL_MB);
      helper = helperOf(t, dataDir);
      await helper.start();
      // Files that the service creates must be accessible to its group as well.
      process.umask(0o007);
      return { VAUBAN_HOST_HELPER: helper.socket };
    },
  });
  const { customer } = chaos;
  await customer.ask('POST', '/v1/vm/sshkeys', { name: 'laptop', public_key: KEY.public });
  await t.test('a boot that never answers', () => muteGuest(chaos));
  await t.test('QEMU is killed while a new guest boots', () => killedAtBirth(chaos));
  await t.test('a new guest finds no space', () => noRoomToCreate(chaos));
  const [{ id: key }] = await customer.ask('GET', '/v1/vm/sshkeys');
  const { vm } = await chaos.done('POST', '/v1/vm', { ...ORDER, ssh_key_ids: [key] });
  assert.equal(vm.status, 'running', JSON.stringify(vm.last_job));
  await t.test('QEMU is killed', () => killed(chaos, vm.id));
  await t.test('a guest that writes finds no space', (t) => noRoomToWrite(t, chaos, vm));
  await t.test('the tables of the host are altered', () => altered(chaos, vm));
  await t.test('the helper is killed', () => withoutHelper(chaos, helper, vm.id));
  await chaos.done('DELETE', `/v1/vm/${vm.id}`);
  await t.test('the result', (t) => chaos.print(t));
});

/** A kernel's command line whose system prints something and then nothing more. */
const NEVER = 'console=ttyS0,115200 rdinit=/bin/busybox -- sleep 1000000';

async function muteGuest(chaos: Chaos): Promise<void> {
  const { vm } = await chaos.done('POST', '/v1/vm', { ...ORDER, template: 'mute' });
  assert.equal(vm.status, 'running', JSON.stringify(vm.last_job));
  const log = join(chaos.dataDir, 'guests', vm.id, 'console.log');
  while (!(await readFile(log, 'utf8').catch(() => '')).includes('as init process')) await sleep(100);
  await chaos.order('/jump', { ms: READY_MS.tcg + 1_000 });
  const { metadata } = await chaos.told(vm.id, 'guest.warning', /nothing answered on its TCP port 22/);
  assert.equal(metadata.waited_for, 'port:22');
  assert.match(metadata.console_log, /Run \/bin\/busybox as init process/);
  await chaos.done('POST', `/v1/vm/${vm.id}/force-stop`);
  await chaos.done('DELETE', `/v1/vm/${vm.id}`);
  chaos.note('boot that never answers', 1, 'runs; a hint with the boot log is in the events');
}

async function killedAtBirth(chaos: Chaos): Promise<void> {
  const { vm } = await chaos.done('POST', '/v1/vm', ORDER);
  assert.equal(vm.status, 'running', JSON.stringify(vm.last_job));
  await killMachine(chaos);
  await chaos.told(vm.id, 'guest.crashed', /ended unexpectedly/);
  await chaos.done('DELETE', `/v1/vm/${vm.id}`);
  chaos.note('QEMU killed while a new guest boots', 1, 'told; started again by the service');
}

/** Kills the only machine, waiting for it if necessary. */
async function killMachine({ dataDir }: Chaos): Promise<void> {
  let [pid] = await machines(dataDir);
  while (!pid) {
    await sleep(5);
    [pid] = await machines(dataDir);
  }
  process.kill(pid, 'SIGKILL');
}

/** Leaves `megabytes` in the pool; returns a function that frees the rest. */
async function fill({ dataDir }: Chaos, megabytes: number): Promise<() => Promise<void>> {
  const pool = join(dataDir, 'guests');
  const { bavail, bsize } = await statfs(pool);
  const path = join(pool, FILLER);
  await writeFile(path, Buffer.alloc(Math.max(0, bavail * bsize - megabytes * 2 ** 20)));
  return () => rm(path);
}

async function noRoomToCreate(chaos: Chaos): Promise<void> {
  const free = await fill(chaos, 0);
  const { vm, job } = await chaos.done('POST', '/v1/vm', ORDER);
  assert.deepEqual([vm.status, job.error.code], ['error', 'capacity_unavailable']);
  await chaos.done('DELETE', `/v1/vm/${vm.id}`);
  await free();
  chaos.note('pool full: create', 1, 'error, capacity_unavailable; undone');
}

async function killed(chaos: Chaos, id: string): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    await killMachine(chaos);
    const restarts = async () => (await chaos.events(id, 'vm.start_requested')).length;
    while ((await restarts()) < kill) await sleep(100);
    const vm = await chaos.settled();
    assert.equal(vm.status, 'running', JSON.stringify(vm.last_job));
    assert.equal((await chaos.events(id, 'guest.crashed')).length, kill);
    await chaos.assertSound(vm);
  }
  chaos.note('QEMU killed', KILLS, 'an event; started again by the service');
}

// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
async function noRoomToWrite(t: TestContext, chaos: Chaos, vm: any): Promise<void> {
  const { customer } = chaos;
  const larger = { ...ORDER, plan: 'large', hostname: 'second' };
  const refused = await customer.send('POST', '/v1/vm', { body: larger, idempotencyKey: 'no-room-1' });
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'capacity_unavailable']);
  await chaos.assertSound(vm);
  chaos.note('no room for the size of a new guest', 1, '503, nothing done');

  await chaos.booted(vm.id);
  // Directly from the host, which no firewall rule blocks.
  const way = (_: TestContext, host: string, port: number) => connect(port, host);
  const guest = await logIn(
    t,
    { host: vm.ipv4, port: 22 },
    { username: 'root', privateKey: KEY.private },
    way,
  );
  const free = await fill(chaos, LEFT_MB);
  const writing = guest.run(
    `dd if=/dev/urandom of=/root/much bs=1M count=${WRITTEN_MB} && sync && echo written`,
  );
  const { message } = await chaos.told(vm.id, 'guest.warning', /is paused/);
  assert.match(message, /continues automatically/);
  await chaos.real.crash();
  await chaos.assertSound(await chaos.settled());
  const began = performance.now();
  await free();
  assert.equal(await writing, 'written');
  guest.end();
  assert.equal((await chaos.events(vm.id, 'guest.warning')).length, 1);
  await chaos.assertSound(await chaos.settled());
  chaos.note(
    'pool full: a guest writes',
    1,
    `stands still, with an event; went on ${since(began)} after there was room`,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
async function altered(chaos: Chaos, vm: any): Promise<void> {
  const tap = tapName(vm.id);
  const counters = async () =>
    ((await output('nft', 'list', 'counters')).match(/counter (in|out)-vau/g) ?? []).length;
  const routes = async () => (await output('ip', 'route')).includes(`${vm.ipv4} dev ${tap}`);
  await output('nft', 'delete', 'table', 'inet', 'vauban');
  let began = performance.now();
  while ((await counters()) < 2) await sleep(100);
  await chaos.assertSound(vm);
  chaos.note('rules of the firewall deleted', 1, `rebuilt ${since(began)} later`);

  await output('ip', 'route', 'del', vm.ipv4);
  began = performance.now();
  while (!(await routes())) await sleep(100);
  chaos.note('route of a guest deleted', 1, `rebuilt ${since(began)} later`);

  await output('ip', 'link', 'del', tap);
  began = performance.now();
  await chaos.told(vm.id, 'guest.warning', /unplugged/);
  const told = since(began);
  const { vm: rebooted } = await chaos.done('POST', `/v1/vm/${vm.id}/reboot`, {});
  assert.equal(rebooted.status, 'running', JSON.stringify(rebooted.last_job));
  assert.ok(await routes());
  chaos.note('interface of a guest deleted', 1, `told ${told} later; a reboot plugs it in again`);
}

async function withoutHelper(chaos: Chaos, helper: Helper, id: string): Promise<void> {
  const at = `/v1/vm/${id}`;
  const [before] = await machines(chaos.dataDir);
  await helper.kill();
  const refused = await chaos.customer.send('POST', '/v1/vm', { body: ORDER, idempotencyKey: 'no-helper-1' });
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'compute_unavailable']);
  assert.deepEqual(await machines(chaos.dataDir), [before]);
  const { vm } = await chaos.done('POST', `${at}/stop`, {});
  assert.equal(vm.status, 'stopped');
  const { vm: still, job } = await chaos.done('POST', `${at}/start`, {});
  assert.deepEqual([still.status, job.error?.code], ['stopped', 'compute_unavailable']);
  await helper.start();
  const { vm: started } = await chaos.done('POST', `${at}/start`, {});
  assert.equal(started.status, 'running', JSON.stringify(started.last_job));
  chaos.note('helper killed', 1, 'guests run on; 503, nothing done; works again with the helper');
}

function since(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(0)} s`;
}
