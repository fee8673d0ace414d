import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tapName } from '../../../server/compute/qemu/routed/names.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { failingStart, UNAVAILABLE, WRONG_CONFIGURATION } from '../../support/failing-start.ts';
import { Chaos } from '../support/chaos.ts';
import { type Helper, helperOf, mountPool } from '../support/helper.ts';
import { logIn } from '../support/internet.ts';
import { killMachines, machines, output } from '../support/machines.ts';
import { openMemoryGroup } from '../support/memory-group.ts';

const POOL_MB = 320;
const ORDER = { plan: 'small', template: 'tiny', hostname: 'web' };
const KEY = freshKeyPair();
/** Memory that the guest requests, and the limit at which the kernel kills its machine. */
const WANTED_MB = 128;
const LIMIT_MB = 24;

/** A host whose parts can be taken away, and its only VM. */
interface Host {
  chaos: Chaos;
  helper: Helper;
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  vm: any;
}

test('a VM returns when its host has lost its foundation', async (t) => {
  let helper!: Helper;
  const umask = process.umask();
  defer(t, () => process.umask(umask));
  const chaos = await Chaos.start(t, {
    env: { VAUBAN_QEMU_NETWORK: 'routed', VAUBAN_QEMU_DISK_GB: '2' },
    async prepare(dataDir) {
      await mountPool(t, join(dataDir, 'disk'), POOL_MB);
      await mkdir(join(dataDir, 'guests'));
      await rename(join(dataDir, 'images'), join(dataDir, 'image-disk'));
      await mkdir(join(dataDir, 'images'));
      await mountAll(dataDir);
      defer(t, () => unmountAll(dataDir));
      await chmod(dataDir, 0o755);
      helper = helperOf(t, dataDir);
      await helper.start();
      // Files that the service creates must be accessible to its group as well.
      process.umask(0o007);
      return { VAUBAN_HOST_HELPER: helper.socket };
    },
  });
  await chaos.customer.ask('POST', '/v1/vm/sshkeys', { name: 'laptop', public_key: KEY.public });
  const [{ id: key }] = await chaos.customer.ask('GET', '/v1/vm/sshkeys');
  const { vm } = await chaos.done('POST', '/v1/vm', { ...ORDER, ssh_key_ids: [key] });
  assert.equal(vm.status, 'running', JSON.stringify(vm.last_job));
  const host = { chaos, helper, vm };
  await t.test('the helper is absent at the start', () => helperAbsent(host));
  await t.test('a machine is stopped while the service starts', () => machineStopped(host));
  await t.test('the record of a guest is cut', () => recordCut(host));
  await t.test('the images are unmounted', () => imagesUnmounted(host));
  await t.test('the kernel runs out of memory', (t) => outOfMemory(t, host));
  await t.test('the host is switched off and on', () => reboot(host));
  await chaos.done('DELETE', `/v1/vm/${vm.id}`);
  await t.test('the result', (t) => chaos.print(t));
});

const MOUNTS = { disk: 'guests', 'image-disk': 'images' };

async function mountAll(dataDir: string): Promise<void> {
  for (const [from, to] of Object.entries(MOUNTS))
    await output('mount', '--bind', join(dataDir, from), join(dataDir, to));
}

/** Lazily: running processes keep their open files. */
async function unmountAll(dataDir: string): Promise<void> {
  for (const to of Object.values(MOUNTS)) await output('umount', '--lazy', join(dataDir, to));
}

/** Returns why a start in production, where nothing is guessed, is refused. */
async function refusal({ chaos: { real } }: Host): Promise<{ status: unknown; stderr: string }> {
  const production = {
    VAUBAN_MODE: 'production',
    VAUBAN_PUBLIC_URL: 'https://api.example.com',
    VAUBAN_EDGE: 'off',
  };
  return failingStart(real.location, { ...real.settings, ...production });
}

/** Waits until the VM runs and nothing is in progress; returns the seconds since `began`. */
async function running({ chaos, vm: { id } }: Host, began: number): Promise<string> {
  for (;;) {
    const vm = await chaos.customer.settled(id);
    if (vm.status === 'running' && !vm.active_job && (await machines(chaos.dataDir)).length === 1) {
      await chaos.assertSound(await chaos.settled());
      return `${((performance.now() - began) / 1000).toFixed(1)} s`;
    }
    await sleep(100);
  }
}

async function helperAbsent(host: Host): Promise<void> {
  const { chaos, helper } = host;
  const [before] = await machines(chaos.dataDir);
  await helper.kill();
  await chaos.real.service().kill();
  const { status, stderr } = await refusal(host);
  assert.equal(status, UNAVAILABLE, stderr);
  assert.match(stderr, /^VAUBAN_HOST_HELPER: /);
  await helper.start();
  const began = performance.now();
  await chaos.real.revive();
  const took = await running(host, began);
  assert.deepEqual(await machines(chaos.dataDir), [before]);
  chaos.note(
    'helper absent at the start',
    1,
    `the start is refused and says why; adopted in ${took}, guest unbroken`,
  );
}

async function machineStopped(host: Host): Promise<void> {
  const { chaos, vm } = host;
  const [pid] = await machines(chaos.dataDir);
  process.kill(pid!, 'SIGSTOP');
  await chaos.real.crash();
  assert.equal((await chaos.settled()).status, 'running', 'its last known state');
  await chaos.told(vm.id, 'guest.warning', /cannot reach the VM/);
  const { job } = await chaos.done('POST', `/v1/vm/${vm.id}/stop`, {});
  assert.equal(job.error?.code, 'compute_unavailable');
  process.kill(pid!, 'SIGCONT');
  const began = performance.now();
  const took = await running(host, began);
  assert.deepEqual(await machines(chaos.dataDir), [pid]);
  await stopAndStart(host);
  chaos.note(
    'QEMU stopped (SIGSTOP) while the service starts',
    1,
    `last known state; stop fails and says so; well ${took} after`,
  );
}

/** Shows that the service controls the machine: it obeys. */
async function stopAndStart({ chaos, vm: { id } }: Host): Promise<void> {
  for (;;) {
    const { vm } = await chaos.done('POST', `/v1/vm/${id}/stop`, {});
    if (vm.status === 'stopped') break;
    assert.equal(vm.last_job.error.code, 'compute_unavailable');
  }
  const { vm } = await chaos.done('POST', `/v1/vm/${id}/start`, {});
  assert.equal(vm.status, 'running', JSON.stringify(vm.last_job));
}

async function recordCut(host: Host): Promise<void> {
  const { chaos, vm } = host;
  const path = join(chaos.dataDir, 'guests', vm.id, 'guest.json');
  const whole = await readFile(path, 'utf8');
  await chaos.real.service().kill();
  await writeFile(path, whole.slice(0, whole.length / 2));
  await chaos.real.revive();
  const [pid] = await machines(chaos.dataDir);
  assert.equal((await chaos.settled()).status, 'running', 'its last known state');
  await chaos.customer.ask('POST', `/v1/vm/${vm.id}/stop`, {});
  assert.equal((await chaos.settled()).last_job.error?.code, 'compute_unavailable');
  const hasRules = async () =>
    (await output('nft', 'list', 'table', 'inet', 'vauban')).includes(tapName(vm.id));
  assert.equal(await hasRules(), false, 'so the gate lets nothing of it pass');
  await writeFile(path, whole);
  const began = performance.now();
  // Its status never changed: only the host shows that it was adopted.
  while (!(await hasRules())) await sleep(100);
  const took = await running(host, began);
  assert.deepEqual(await machines(chaos.dataDir), [pid]);
  await stopAndStart(host);
  chaos.note('guest.json cut', 1, `set aside, the guest runs on; obeys again ${took} after it was mended`);
}

async function imagesUnmounted(host: Host): Promise<void> {
  const { chaos, vm } = host;
  const images = join(chaos.dataDir, 'images');
  const [pid] = await machines(chaos.dataDir);
  await output('umount', '--lazy', images);
  const refused = await chaos.customer.send('POST', '/v1/vm', { body: ORDER, idempotencyKey: 'no-images-1' });
  assert.deepEqual(
    [refused.status, refused.json.error.details.fields[0].field],
    [422, 'template'],
    refused.text,
  );
  await chaos.assertSound(await chaos.settled());
  assert.deepEqual(await machines(chaos.dataDir), [pid], 'who runs is not touched');
  const { vm: stopped } = await chaos.done('POST', `/v1/vm/${vm.id}/stop`, {});
  assert.equal(stopped.status, 'stopped');
  const { vm: still, job } = await chaos.done('POST', `/v1/vm/${vm.id}/start`, {});
  assert.deepEqual([still.status, job.error?.code], ['stopped', 'compute_unavailable']);
  await output('mount', '--bind', join(chaos.dataDir, 'image-disk'), images);
  const began = performance.now();
  // A failed start is not retried automatically: the owner knows about it and asks again.
  await chaos.customer.ask('POST', `/v1/vm/${vm.id}/start`, {});
  const took = await running(host, began);
  chaos.note('images unmounted', 1, `guests run on; creating is refused, starts fail; started ${took} after`);
}

/** Returns whether a guest, which may still be booting, accepts connections. */
function listens(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, host, () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function outOfMemory(t: TestContext, host: Host): Promise<void> {
  const { chaos, vm } = host;
  const group = await openMemoryGroup(t);
  if (!group) return t.skip('this machine has no control group for memory that a test may make');
  const [pid] = await machines(chaos.dataDir);
  const at = { host: vm.ipv4, port: 22 };
  // Directly from the host, which no firewall rule blocks.
  let line!: Socket;
  const way = (_: TestContext, address: string, port: number) => (line = connect(port, address));
  while (!(await listens(at.host, at.port))) await sleep(100);
  const guest = await logIn(t, at, { username: 'root', privateKey: KEY.private }, way);
  await group.hold(pid!, LIMIT_MB);
  const began = performance.now();
  const writing = guest
    .run(`dd if=/dev/zero of=/dev/shm/much bs=1M count=${WANTED_MB}`)
    .catch(() => 'cut off');
  while ((await machines(chaos.dataDir)).includes(pid!)) await sleep(20);
  assert.ok((await group.kills()) > 0, 'the kernel ended it');
  // A killed machine does not close its connections.
  line.destroy();
  await writing;
  const took = await running(host, began);
  await chaos.told(vm.id, 'guest.crashed', /./);
  chaos.note('the kernel kills QEMU for memory (OOM)', 1, `an event; runs again ${took} after`);
}

async function reboot(host: Host): Promise<void> {
  const { chaos, helper, vm } = host;
  const { dataDir, real } = chaos;
  await real.service().kill();
  await helper.kill();
  await killMachines(dataDir);
  await output('ip', 'link', 'del', tapName(vm.id));
  await output('nft', 'flush', 'ruleset');
  await writeFile('/proc/sys/net/ipv4/ip_forward', '0');
  await unmountAll(dataDir);
  await helper.start();
  const { status, stderr } = await refusal(host);
  assert.equal(status, WRONG_CONFIGURATION, stderr);
  await mountAll(dataDir);
  const began = performance.now();
  await real.revive();
  const took = await running(host, began);
  assert.equal((await readFile('/proc/sys/net/ipv4/ip_forward', 'utf8')).trim(), '1');
  chaos.note(
    'reboot of the host: processes, mounts, taps, rules and forwarding gone',
    1,
    `no start without its mounts; then all rebuilt, the guest runs ${took} after the start`,
  );
}
