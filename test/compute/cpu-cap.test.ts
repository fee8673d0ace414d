import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Machine } from '../../server/compute/qemu/arguments.ts';
import { cappedLauncher, findCpuCap, scopeArguments } from '../../server/compute/qemu/cpu-cap.ts';
import { defer } from '../support/cleanup.ts';

const NO_SYSTEMD = '/nowhere';
const found = await findCpuCap({
  mounts: '/proc/self/mountinfo',
  groups: '/proc/self/cgroup',
  systemd: NO_SYSTEMD,
});

/** A process that does nothing until it is told to, and then uses all it gets. */
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
  await found.apply({ id, vcpu: 2 }, first.pid);
  const read = async (name: string) => (await readFile(join(group, name), 'utf8')).trim();
  const quota = async () =>
    found.how.includes('v2')
      ? read('cpu.max')
      : `${await read('cpu.cfs_quota_us')} ${await read('cpu.cfs_period_us')}`;
  assert.equal(await quota(), '225000 100000');
  assert.equal(await read('cgroup.procs'), `${first.pid}`);
  // A hundredth of a CPU, so that one that works is held back on the busiest host.
  await found.apply({ id, vcpu: -0.24 }, first.pid);
  first.work();
  const heldBack = async () => Number(/nr_throttled (\d+)/.exec(await read('cpu.stat'))?.[1]);
  while ((await heldBack()) === 0) await new Promise((resolve) => setImmediate(resolve));

  await found.apply({ id: next, vcpu: 1 }, second.pid);
  assert.ok(existsSync(group), 'a group in use stays');
  await Promise.all([first.end(), second.end()]);
  const last = worker(t);
  await found.apply({ id: next, vcpu: 1 }, last.pid);
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
    const cap = await findCpuCap(host);
    return typeof cap === 'string' ? cap : cap.how;
  };
  const v1 = `31 24 0:27 / ${root} rw - cgroup cgroup rw,cpu,cpuacct\n`;
  assert.equal(await find(v1, '4:cpu,cpuacct:/\n'), `control groups v1 in ${root}`);
  const inside = `31 24 0:27 /docker/1 ${root} rw - cgroup cgroup rw,cpu,cpuacct\n`;
  assert.equal(await find(inside, '4:cpu,cpuacct:/docker/1\n'), `control groups v1 in ${root}`);
  const v2 = `31 24 0:27 / ${root} rw - cgroup2 cgroup2 rw\n`;
  assert.equal(await find(v2, '0::/\n'), 'there is no control group of the processor');
  await writeFile(join(root, 'cgroup.subtree_control'), 'cpu pids\n');
  assert.equal(await find(v2, '0::/\n'), `control groups v2 in ${root}`);
  assert.match(await find(v1, '4:cpu,cpuacct:/gone\n'), /gone is not writable/);
});

test('what systemd is asked for', () => {
  assert.deepEqual(scopeArguments({ id: 'vm_01', vcpu: 2 }, 4711).slice(4), [
    'StartTransientUnit',
    'ssa(sv)a(sa(sv))',
    'vauban-vm_01.scope',
    'fail',
    '4',
    ...['Description', 's', 'Guest vm_01'],
    ...['Slice', 's', 'vauban.slice'],
    ...['CPUQuotaPerSecUSec', 't', '2250000'],
    ...['PIDs', 'au', '1', '4711'],
    '0',
  ]);
});

test('a machine that cannot be held to its CPUs runs all the same, which is told once', async () => {
  const told: unknown[] = [];
  const launcher = { launch: async () => 4711, kill: async () => {} };
  const logger = { warn: (...words: unknown[]) => void told.push(words) } as never;
  const machine = { id: 'vm_01', vcpu: 1 } as Machine;
  const missing = cappedLauncher(launcher, logger, async () => 'there is none');
  const apply = async () => {
    throw new Error('no room');
  };
  const failing = cappedLauncher(launcher, logger, async () => ({ how: 'by failing', apply }));
  for (const capped of [missing, missing, failing, failing]) assert.equal(await capped.launch(machine), 4711);
  assert.equal(told.length, 2);
});
