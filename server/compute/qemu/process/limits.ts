import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { KeyedQueue } from '../../../platform/keyed-queue.ts';
import type { Logger } from '../../../platform/logging.ts';
import { ComputeUnavailableError, type DiskSpeed } from '../../driver.ts';
import { type QemuSpec, translationCacheMb } from './arguments.ts';
import { type ControlGroup, findGroup, holdInGroup } from './control-groups.ts';
import type { Launcher } from './direct-launcher.ts';
import { holdInScope, systemdRuns } from './scopes.ts';

/** CPU time in addition to a guest's CPUs, for its disk, network card and screen. */
const OVERHEAD_CPUS = 0.25;
/**
 * Memory in addition to a guest's own, for QEMU, its devices and viewers. More than twice what was measured on busy
 * guests, because a guest that reaches the limit is killed.
 */
const OVERHEAD_MB = 256;
/** Bookkeeping of the kernel and QEMU per page of guest memory. */
const OVERHEAD_SHARE = 0.02;
const MEGABYTE = 1_048_576;
/** QEMU's own threads, in addition to one per CPU: up to 64 for the disk, and as many for io_uring. */
const OVERHEAD_TASKS = 192;

export interface Share {
  id: string;
  cpus: number;
  memoryBytes: number;
  tasks: number;
  disk: DiskSpeed;
  /** A directory on the file system of the disk. */
  directory: string;
}

type Limited = Pick<QemuSpec, 'id' | 'vcpu' | 'ramMb' | 'accelerator' | 'directory' | 'disk'>;

/** Returns a guest process's share: what was sold plus the overhead of running it. */
export function shareOf({ id, vcpu, ramMb, accelerator, directory, disk = {} }: Limited): Share {
  const own = OVERHEAD_MB + Math.ceil(ramMb * OVERHEAD_SHARE);
  const translated = accelerator === 'tcg' ? translationCacheMb(ramMb) : 0;
  return {
    id,
    cpus: vcpu + OVERHEAD_CPUS,
    memoryBytes: (ramMb + own + translated) * MEGABYTE,
    tasks: vcpu + OVERHEAD_TASKS,
    disk,
    directory,
  };
}

/** Limits guests' processes to their shares, whatever else they do than run the guest. */
export interface Limiter {
  /** The mechanism, for people. */
  how: string;
  /** Limits that are unavailable here, out of "memory", "pids" and "io". */
  lacks: string[];
  /** Limits a process to its share. Can be repeated. */
  apply(share: Share, pid: number): Promise<void>;
}

/** Files and folders by which the kernel and systemd describe the host; tests use others. */
export const HOST = {
  mounts: '/proc/self/mountinfo',
  groups: '/proc/self/cgroup',
  systemd: '/run/systemd/system',
};

/** One at a time, otherwise a new group that is still empty could be mistaken for a leftover. */
const changes = new KeyedQueue();

/**
 * Returns the mechanism that limits guests here, or a string saying why there is none. Under systemd, control groups
 * belong to systemd: a guest becomes a scope, which root may request, and the host helper by a polkit rule. Otherwise a
 * guest gets a group below that of this process.
 */
export async function findLimiter(
  host = HOST,
  mayAskSystemd = process.getuid?.() === 0,
): Promise<Limiter | string> {
  if (await systemdRuns(host.systemd)) {
    // Other users could only ask their own user manager, which has no CPU controller by default.
    return mayAskSystemd
      ? { how: 'scopes of systemd', lacks: [], apply: holdInScope }
      : 'only root can use systemd to limit processes';
  }
  const group = await findGroup(host);
  if (typeof group === 'string') return group;
  return limiterIn(group);
}

function limiterIn(group: ControlGroup): Limiter {
  const { path, version, controllers } = group;
  return {
    how: `control groups v${version} in ${path}`,
    lacks: ['memory', 'pids', 'io'].filter((controller) => !controllers.includes(controller)),
    apply: (share, pid) => changes.run(path, () => holdInGroup(group, share, pid)),
  };
}

interface LimitedOptions {
  logger: Pick<Logger, 'warn'>;
  find?: () => Promise<Limiter | string>;
  /**
   * If set, a guest that cannot be limited to its share must not run. Otherwise it runs anyway and a warning is logged
   * once.
   */
  required?: boolean;
}

/**
 * Starts guests' processes and limits each to its share. Throws {@link ComputeUnavailableError} if that is required but
 * impossible.
 */
export function limitedLauncher(
  launcher: Launcher,
  { logger, find = findLimiter, required = false }: LimitedOptions,
): Launcher {
  let limiter: Promise<Limiter | string> | undefined;
  let warned = false;
  const warn = (why: string) => {
    if (!warned) logger.warn({ reason: why }, 'guests may use more of the host than they were sold');
    warned = true;
  };
  const hold = async (spec: QemuSpec, pid: number) => {
    limiter ??= find();
    const found = await limiter;
    if (typeof found === 'string') throw new Error(found);
    await found.apply(shareOf(spec), pid);
    return found.lacks;
  };
  return {
    async launch(spec) {
      const pid = await launcher.launch(spec);
      try {
        const lacks = await hold(spec, pid);
        if (lacks.length > 0) {
          if (required) throw new Error(`no limits on ${lacks.join(', ')}`);
          warn(`no limits on ${lacks.join(', ')}`);
        }
      } catch (error) {
        const { message } = error as Error;
        if (required) {
          await launcher.kill(spec);
          throw new ComputeUnavailableError(`${spec.id} cannot be limited to its size: ${message}`, {
            cause: error,
          });
        }
        warn(message);
      }
      return pid;
    },
    kill: (spec) => launcher.kill(spec),
    image: (owner, command) => launcher.image(owner, command),
  };
}

/**
 * Briefly limits one of its own processes as a test. Throws {@link ComputeUnavailableError} if guests could not be
 * limited.
 */
export async function tryLimits(find: () => Promise<Limiter | string>): Promise<void> {
  const found = await find();
  if (typeof found === 'string') throw new ComputeUnavailableError(found);
  const { how, lacks } = found;
  if (lacks.length > 0) throw new ComputeUnavailableError(`${how} without ${lacks.join(', ')}`);
  const child = spawn('sleep', ['60'], { stdio: 'ignore', cwd: '/' });
  const ended = once(child, 'close');
  try {
    await once(child, 'spawn');
    const tried = { id: 'probe', vcpu: 1, ramMb: 1, accelerator: 'kvm', directory: '/' } as const;
    await found.apply(shareOf(tried), child.pid!);
  } catch (error) {
    throw new ComputeUnavailableError(`${how}: ${(error as Error).message}`, { cause: error });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
