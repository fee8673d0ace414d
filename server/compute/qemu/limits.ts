import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import type { Logger } from '../../platform/logging.ts';
import { ComputeUnavailableError, type DiskSpeed } from '../driver.ts';
import { type QemuSpec, translationCacheMb } from './arguments.ts';
import { type ControlGroup, findGroup, holdInGroup } from './control-groups.ts';
import type { Launcher } from './direct-launcher.ts';
import { holdInScope, systemdRuns } from './scopes.ts';

/** Beside a guest's CPUs, for its disk, its network card and its screen. */
const OVERHEAD_CPUS = 0.25;
/**
 * Beside a guest's memory, for QEMU itself, its devices and viewers: more than twice what busy guests were seen to take,
 * because a guest that meets the limit is ended.
 */
const OVERHEAD_MB = 256;
/** What the kernel and QEMU keep of each page of a guest. */
const OVERHEAD_SHARE = 0.02;
const MEGABYTE = 1_048_576;
/** QEMU's own threads, beside one for each CPU: up to 64 for the disk, and as many for io_uring. */
const OVERHEAD_TASKS = 192;

/** What a guest's process may use of the host. */
export interface Share {
  id: string;
  cpus: number;
  memoryBytes: number;
  tasks: number;
  disk: DiskSpeed;
  /** A directory on the file system that has the disk. */
  directory: string;
}

type Limited = Pick<QemuSpec, 'id' | 'vcpu' | 'ramMb' | 'accelerator' | 'directory' | 'disk'>;

/** What the process of a guest may use: what was sold, and what it takes to run it. */
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

/** Holds guests' processes to their shares, whatever they do beside running the guest. */
export interface Limiter {
  /** By what, for people. */
  how: string;
  /** What it cannot limit here: of "memory", "pids" and "io". */
  lacks: string[];
  /** Holds a process to its share. Again is a success. */
  apply(share: Share, pid: number): Promise<void>;
}

/** Where the kernel and systemd tell of themselves; other files in tests. */
export const HOST = {
  mounts: '/proc/self/mountinfo',
  groups: '/proc/self/cgroup',
  systemd: '/run/systemd/system',
};

/** One at a time: a group that is still empty must not be taken for one that is left over. */
const changes = new KeyedMutex();

/**
 * How guests can be held to their shares here; a string says why they cannot. Where systemd rules, control groups are its
 * own: a guest becomes a scope, which root may ask for, and the host helper by a rule of polkit. Elsewhere a guest gets a
 * group below that of this process.
 */
export async function findLimiter(
  host = HOST,
  mayAskSystemd = process.getuid?.() === 0,
): Promise<Limiter | string> {
  if (await systemdRuns(host.systemd)) {
    // Others may only have their own user's manager do it, which has no control of the processor by default.
    return mayAskSystemd
      ? { how: 'scopes of systemd', lacks: [], apply: holdInScope }
      : 'only root may have systemd limit processes';
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
  /** No guest runs that cannot be held to its share; else it runs all the same, and the log says so once. */
  required?: boolean;
}

/** Starts guests' processes and holds each to its share. {@link ComputeUnavailableError} where that is required and cannot be. */
export function limitedLauncher(
  launcher: Launcher,
  { logger, find = findLimiter, required = false }: LimitedOptions,
): Launcher {
  let limiter: Promise<Limiter | string> | undefined;
  let warned = false;
  const warn = (why: string) => {
    if (!warned) logger.warn({ reason: why }, 'guests may use more of the host than was sold');
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
          if (required) throw new Error(`no limit of ${lacks.join(', ')}`);
          warn(`no limit of ${lacks.join(', ')}`);
        }
      } catch (error) {
        const { message } = error as Error;
        if (required) {
          await launcher.kill(spec);
          throw new ComputeUnavailableError(`${spec.id} cannot be held to its share: ${message}`, {
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

/** Holds a process of its own to a share, for a moment; {@link ComputeUnavailableError} where guests could not be. */
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
