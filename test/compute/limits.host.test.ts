import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { QemuSpec } from '../../server/compute/qemu/process/arguments.ts';
import { findGroup, holdInGroup } from '../../server/compute/qemu/process/control-groups.ts';
import {
  findLimiter,
  limitedLauncher,
  shareOf,
  tryLimits,
} from '../../server/compute/qemu/process/limits.ts';
import { scopeArguments } from '../../server/compute/qemu/process/scopes.ts';
import { defer } from '../support/cleanup.ts';

const NO_SYSTEMD = '/nowhere';
const found = await findLimiter({
  mounts: '/proc/self/mountinfo',
  groups: '/proc/self/cgroup',
  systemd: NO_SYSTEMD,
});

const MIB = 1_048_576;
const MACHINE = { id: 'vm_01', vcpu: 2, ramMb: 1_000, accelerator: 'kvm', directory: tmpdir() } as const;
const share = (fields: object = {}) => ({ ...shareOf(MACHINE), ...fields });

/** A process that waits for a signal and then uses all the CPU time it gets. */
function worker(t: TestContext): { pid: number; work(): void; end(): Promise<void> } {
  const child = spawn('sh', ['-c', 'read go; while :; do :; done'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  defer(t, end);
  return { pid: child.pid!, work: () => void child.stdin.write('go\n'), end };
}

test('a process gets the CPUs of its guest and a little more, and leaves nothing when it has ended', {
  skip: typeof found === 'string' ? found : false,
}, async (t) => {
  assert.ok(typeof found === 'object');
  const path = found.how.replace(/^.* in /, '');
  const [id, next] = [`test-${process.pid}-a`, `test-${process.pid}-b`];
  const group = join(path, `vauban-${id}`);
  const [first, second] = [worker(t), worker(t)];
  await found.apply(share({ id }), first.pid);
  const read = async (name: string) => (await readFile(join(group, name), 'utf8')).trim();
  const quota = async () =>
    found.how.includes('v2')
      ? read('cpu.max')
      : `${await read('cpu.cfs_quota_us')} ${await read('cpu.cfs_period_us')}`;
  assert.equal(await quota(), '225000 100000');
  assert.equal(await read('cgroup.procs'), `${first.pid}`);
  // A hundredth of a CPU, so that a busy process is throttled even on the busiest host.
  await found.apply(share({ id, cpus: 0.01 }), first.pid);
  first.work();
  const heldBack = async () => Number(/nr_throttled (\d+)/.exec(await read('cpu.stat'))?.[1]);
  while ((await heldBack()) === 0) await new Promise((resolve) => setImmediate(resolve));

  await found.apply(share({ id: next }), second.pid);
  assert.ok(existsSync(group), 'a group in use stays');
  await Promise.all([first.end(), second.end()]);
  const last = worker(t);
  await found.apply(share({ id: next }), last.pid);
  assert.deepEqual(
    readdirSync(path).filter((name) => name.startsWith(`vauban-test-${process.pid}`)),
    [`vauban-${next}`],
  );
  await last.end();
  await rm(join(path, `vauban-${next}`), { recursive: true, force: true }).catch(() => {});
});

test('the group is that of this process, in the hierarchy that divides the processor', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'vauban-groups-'));
  defer(t, () => rm(root, { recursive: true }));
  const find = async (mounts: string, groups: string) => {
    const host = { mounts: join(root, 'mounts'), groups: join(root, 'groups'), systemd: NO_SYSTEMD };
    await writeFile(host.mounts, mounts);
    await writeFile(host.groups, groups);
    const limiter = await findLimiter(host);
    return typeof limiter === 'string' ? limiter : `${limiter.how} without ${limiter.lacks}`;
  };
  const v1 = `31 24 0:27 / ${root} rw - cgroup cgroup rw,cpu,cpuacct\n`;
  assert.equal(await find(v1, '4:cpu,cpuacct:/\n'), `control groups v1 in ${root} without memory,pids,io`);
  const inside = `31 24 0:27 /docker/1 ${root} rw - cgroup cgroup rw,cpu,cpuacct\n`;
  assert.equal(
    await find(inside, '4:cpu,cpuacct:/docker/1\n'),
    `control groups v1 in ${root} without memory,pids,io`,
  );
  const v2 = `31 24 0:27 / ${root} rw - cgroup2 cgroup2 rw\n`;
  assert.equal(await find(v2, '0::/\n'), 'there is no control group for the CPU');
  await writeFile(join(root, 'cgroup.subtree_control'), 'cpu pids\n');
  assert.equal(await find(v2, '0::/\n'), `control groups v2 in ${root} without memory,io`);
  assert.match(await find(v1, '4:cpu,cpuacct:/gone\n'), /gone is not writable/);
});

test('a guest may use the size that was sold plus its overhead', () => {
  const { cpus, memoryBytes, tasks } = shareOf(MACHINE);
  assert.deepEqual([cpus, memoryBytes / MIB, tasks], [2.25, 1_276, 194]);
  // Without KVM, QEMU caches translated code.
  assert.equal(shareOf({ ...MACHINE, accelerator: 'tcg' }).memoryBytes / MIB, 1_532);
});

test('the values written into a control group of version 2', async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'vauban-groups-'));
  defer(t, () => rm(path, { recursive: true }));
  const group = { path, version: 2 as const, controllers: ['cpu', 'memory', 'pids', 'io'] };
  const read = async (name: string) => readFile(join(path, 'vauban-vm_01', name), 'utf8');
  // The kernel's name of a real device is needed. sysfs is not on one.
  await assert.rejects(
    holdInGroup(group, share({ disk: { iops: 100 }, directory: '/sys' }), 4711),
    /the file system of \/sys has no device that can be limited/,
  );
  await holdInGroup(group, share({ disk: { iops: 100, mbps: 5 }, directory: '/' }), 4711);
  assert.equal(await read('cpu.max'), '225000 100000');
  assert.equal(await read('memory.max'), `${1_276 * MIB}`);
  assert.equal(await read('pids.max'), '194');
  assert.equal(await read('cgroup.procs'), '4711');
  const io = /^(\d+:\d+) (.*)$/.exec(await read('io.max'))!;
  assert.equal(io[2], 'rbps=5000000 wbps=5000000 riops=100 wiops=100');
  assert.ok(existsSync(`/sys/dev/block/${io[1]}`) && !existsSync(`/sys/dev/block/${io[1]}/partition`));
  await holdInGroup(group, share({ directory: '/' }), 4711);
  assert.match(await read('io.max'), / rbps=max wbps=max riops=max wiops=max$/);
});

test('the kernel takes all of it', {
  skip: typeof found === 'string' ? found : found.lacks.length > 0 && `${found.how} has no ${found.lacks}`,
}, async (t) => {
  const group = await findGroup({ mounts: '/proc/self/mountinfo', groups: '/proc/self/cgroup' });
  assert.ok(typeof group === 'object');
  const child = worker(t);
  const id = `test-${process.pid}-all`;
  await holdInGroup(group, share({ id, disk: { iops: 100 } }), child.pid);
  const read = async (name: string) =>
    (await readFile(join(group.path, `vauban-${id}`, name), 'utf8')).trim();
  assert.equal(await read('memory.max'), `${1_276 * MIB}`);
  assert.equal(await read('pids.max'), '194');
  assert.match(await read('io.max'), /riops=100 wiops=100$/);
});

test('the properties requested from systemd', () => {
  const disk = { iops: 100, mbps: 5 };
  assert.deepEqual(scopeArguments(share({ disk, directory: '/srv/vm_01' }), 4711).slice(4), [
    'StartTransientUnit',
    'ssa(sv)a(sa(sv))',
    'vauban-vm_01.scope',
    'fail',
    '11',
    ...['Description', 's', 'Guest vm_01'],
    ...['Slice', 's', 'vauban.slice'],
    ...['Before', 'as', '1', 'vauban-guests.service'],
    ...['CPUQuotaPerSecUSec', 't', '2250000'],
    ...['MemoryMax', 't', `${1_276 * MIB}`],
    ...['TasksMax', 't', '194'],
    ...['IOReadIOPSMax', 'a(st)', '1', '/srv/vm_01', '100'],
    ...['IOWriteIOPSMax', 'a(st)', '1', '/srv/vm_01', '100'],
    ...['IOReadBandwidthMax', 'a(st)', '1', '/srv/vm_01', '5000000'],
    ...['IOWriteBandwidthMax', 'a(st)', '1', '/srv/vm_01', '5000000'],
    ...['PIDs', 'au', '1', '4711'],
    '0',
  ]);
});

test('a machine without limits runs if that is allowed, and otherwise does not', async () => {
  const told: unknown[] = [];
  const ended: string[] = [];
  const launcher = {
    image: async () => '',
    launch: async () => 4711,
    kill: async ({ id }: { id: string }) => void ended.push(id),
  };
  const logger = { warn: (...words: unknown[]) => void told.push(words) } as never;
  const machine = MACHINE as unknown as QemuSpec;
  const apply = async () => {};
  const finds = [
    async () => 'there is none',
    async () => ({ how: 'by halves', lacks: ['memory'], apply }),
    async () => ({ how: 'by failing', lacks: [], apply: async () => Promise.reject(new Error('no room')) }),
  ];
  for (const find of finds) {
    const limited = limitedLauncher(launcher, { logger, find });
    for (const _ of [1, 2]) assert.equal(await limited.launch(machine), 4711);
  }
  assert.equal(told.length, finds.length, 'which is reported once');
  assert.deepEqual(ended, []);
  for (const find of finds) {
    const strict = limitedLauncher(launcher, { logger, find, required: true });
    await assert.rejects(strict.launch(machine), {
      name: 'ComputeUnavailableError',
      message: /^vm_01 cannot be limited to its size: (there is none|no limits on memory|no room)$/,
    });
    await assert.rejects(tryLimits(find), { name: 'ComputeUnavailableError' });
  }
  assert.deepEqual(ended, Array(finds.length).fill('vm_01'));
  assert.equal(told.length, finds.length);
  const pids: number[] = [];
  await tryLimits(async () => ({ how: 'well', lacks: [], apply: async (_, pid) => void pids.push(pid) }));
  assert.ok(pids.length === 1 && !existsSync(`/proc/${pids[0]}/exe`));
});
