import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../platform/logging.ts';
import { run } from './command.ts';
import type { Launcher } from './launcher.ts';
import { Locks } from './waiting.ts';

/** Beside a guest's CPUs, for its disk, its network card and its screen. */
const OVERHEAD_CPUS = 0.25;
/** How often a guest gets its share anew: the kernel's own default. */
const PERIOD_MICROSECONDS = 100_000;
const SECOND_MICROSECONDS = 1_000_000;
const PREFIX = 'vauban-';

/** One at a time: a group that is still empty must not be taken for one that is left over. */
const changes = new Locks();

/** Holds guests' processes to the CPUs that were sold, whatever they do beside running the guest. */
export interface CpuCap {
  /** By what, for people. */
  how: string;
  /** Lets the process of a machine use its CPUs and a little more. Again is a success. */
  apply(machine: { id: string; vcpu: number }, pid: number): Promise<void>;
}

/** Where the kernel and systemd tell of themselves; other files in tests. */
const HOST = {
  mounts: '/proc/self/mountinfo',
  groups: '/proc/self/cgroup',
  systemd: '/run/systemd/system',
};

/**
 * How guests can be held to their CPUs here; a string says why they cannot. Where systemd rules, control groups are its
 * own: a guest becomes a scope. Elsewhere a guest gets a group below that of this process.
 */
export async function findCpuCap(host = HOST): Promise<CpuCap | string> {
  if (await exists(host.systemd)) {
    // Others may only have their own user's manager do it, which has no control of the processor by default.
    return process.getuid?.() === 0
      ? { how: 'scopes of systemd', apply: startScope }
      : 'only root may have systemd limit processes';
  }
  const group = await findGroup(host);
  if (!group) return 'there is no control group of the processor';
  const { path, version } = group;
  try {
    await access(path, constants.W_OK);
  } catch {
    return `${path} is not writable`;
  }
  return {
    how: `control groups v${version} in ${path}`,
    apply: ({ id, vcpu }, pid) =>
      changes.run(path, async () => {
        await clearGroups(path);
        await joinGroup(join(path, PREFIX + id), version, vcpu, pid);
      }),
  };
}

/** Starts machines and holds each to its CPUs. Where that cannot be done they run all the same, and the log says so once. */
export function cappedLauncher(
  launcher: Launcher,
  logger: Pick<Logger, 'warn'>,
  find = findCpuCap,
): Launcher {
  let cap: Promise<CpuCap | string> | undefined;
  let warned = false;
  const warn = (why: unknown) => {
    if (!warned) logger.warn({ err: why }, 'guests may use more CPU than was sold');
    warned = true;
  };
  return {
    async launch(machine) {
      const pid = await launcher.launch(machine);
      cap ??= find();
      try {
        const found = await cap;
        if (typeof found === 'string') warn(new Error(found));
        else await found.apply(machine, pid);
      } catch (error) {
        warn(error);
      }
      return pid;
    },
    kill: (machine) => launcher.kill(machine),
  };
}

const cpus = (vcpu: number) => vcpu + OVERHEAD_CPUS;

/** What `busctl` is told to make of a process a scope of its own, which ends with it. */
export function scopeArguments({ id, vcpu }: { id: string; vcpu: number }, pid: number): string[] {
  const manager = [
    'org.freedesktop.systemd1',
    '/org/freedesktop/systemd1',
    'org.freedesktop.systemd1.Manager',
  ];
  const properties = [
    ['Description', 's', `Guest ${id}`],
    ['Slice', 's', 'vauban.slice'],
    ['CPUQuotaPerSecUSec', 't', `${cpus(vcpu) * SECOND_MICROSECONDS}`],
    ['PIDs', 'au', '1', `${pid}`],
  ];
  const unit = ['ssa(sv)a(sa(sv))', `${PREFIX}${id}.scope`, 'fail', `${properties.length}`];
  return ['call', ...manager, 'StartTransientUnit', ...unit, ...properties.flat(), '0'];
}

async function startScope(machine: { id: string; vcpu: number }, pid: number): Promise<void> {
  await run('busctl', ...scopeArguments(machine, pid)).catch((error) => {
    // Of a machine that was running already.
    if (!/already (exists|loaded)/.test(error.message)) throw error;
  });
}

/** Takes groups away whose machines have ended; the kernel keeps those that are in use. */
async function clearGroups(path: string): Promise<void> {
  const names = (await readdir(path)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => rmdir(join(path, name)).catch(() => {})));
}

async function joinGroup(path: string, version: 1 | 2, vcpu: number, pid: number): Promise<void> {
  await mkdir(path, { recursive: true });
  const quota = Math.round(cpus(vcpu) * PERIOD_MICROSECONDS);
  if (version === 2) await writeFile(join(path, 'cpu.max'), `${quota} ${PERIOD_MICROSECONDS}`);
  else {
    await writeFile(join(path, 'cpu.cfs_period_us'), `${PERIOD_MICROSECONDS}`);
    await writeFile(join(path, 'cpu.cfs_quota_us'), `${quota}`);
  }
  await writeFile(join(path, 'cgroup.procs'), `${pid}`);
}

interface Group {
  path: string;
  version: 1 | 2;
}

/** This process's own group, below which there can be others that the kernel divides the processor among. */
async function findGroup({ mounts, groups }: typeof HOST): Promise<Group | undefined> {
  const own = new Map(
    (await readFile(groups, 'utf8')).split('\n').map((line) => {
      const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return [controllers, path];
    }),
  );
  for (const line of (await readFile(mounts, 'utf8')).split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mount = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    const below = (path = '') => join(mount, path.startsWith(root) ? path.slice(root.length) : path);
    if (type === 'cgroup2') {
      const path = below(own.get(''));
      // Others' processes may be in it: to hand the processor on to groups below is not ours to decide.
      const handedOn = await readFile(join(path, 'cgroup.subtree_control'), 'utf8').catch(() => '');
      if (handedOn.split(/\s/).includes('cpu')) return { path, version: 2 };
    }
    if (type !== 'cgroup' || !options.split(',').includes('cpu')) continue;
    const [, path] = [...own].find(([controllers]) => controllers.split(',').includes('cpu')) ?? [];
    return { path: below(path), version: 1 };
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
