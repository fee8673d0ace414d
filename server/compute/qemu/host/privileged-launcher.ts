import { execFile, spawn } from 'node:child_process';
import { lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import { readBody } from '../../../platform/peer/body.ts';
import { ID_PATTERN, InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import { type DiskOwner, imageArguments, imageLimitMs, QEMU_IMG } from '../disk/disk-image.ts';
import { readGuestFile } from '../guest/guest-file.ts';
import { FILES, type QemuSpec } from '../process/arguments.ts';
import { failureOf } from '../process/command.ts';
import type { Launcher } from '../process/direct-launcher.ts';
import { endByForce, GUEST_OOM_SCORE, MAX_WORDS, untilUp } from '../process/process-wait.ts';
import { pidsNamed } from '../process/processes.ts';

/** Environment of the programs that run as a guest's user: nothing of the helper's own environment reaches them. */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

/** Limit of the error output of `setpriv` and the shell, before QEMU writes to its log. */
const MAX_COMPLAINT_BYTES = 64 * 1024;
/** Enough for a disk with thousands of snapshots. */
const MAX_PRINTED_BYTES = 4 * 1024 * 1024;

export interface LaunchOptions {
  clock: Clock;
  /** The user that guests ran as in earlier versions, and the groups of all guests: never root or the service's user. */
  user: { uid: number; group: string; groups: number[] };
  /** Range of guests' own user ids, both ends included. */
  uids: { from: number; to: number };
  /** The directory that contains all guests' directories. */
  pool: string;
  /** The directory that contains the images' kernels. */
  images: string;
  command(spec: QemuSpec): string[];
}

/**
 * Runs as the guest's user, in the guest's directory, so that anything there, including links, is opened with that
 * user's permissions. The group, which includes the service, may use the sockets and read the pid file; QEMU itself
 * would create it for its owner only.
 */
const START = `echo ${GUEST_OOM_SCORE} >/proc/self/oom_score_adj; umask 007 && cd -- "$1" && rm -f ${FILES.pid} && : >${FILES.pid} && : >${FILES.log} && shift && exec "$@" </dev/null >>${FILES.log} 2>&1`;

/**
 * Starts each guest as its own user, in its own session, without any way to gain privileges. The paths come from the
 * service, which an attacker may control. So this process only reads a pid and a log there, without following links,
 * and writes nothing.
 */
export function createPrivilegedLauncher(options: LaunchOptions): Launcher {
  const { clock, user } = options;
  return {
    async launch(spec) {
      await checkPlace(options, spec);
      const uid = allowedUid(options, spec);
      const running = await findQemu(options, spec);
      if (running) return running.pid;
      await checkAlone(spec, uid);
      const child = spawn('setpriv', [...setprivArguments(uid, user), ...startArguments(options, spec)], {
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: ENVIRONMENT,
      });
      const first = readBody(child.stderr!, 'setpriv', MAX_COMPLAINT_BYTES).then(String, () => '');
      return untilUp(clock, child, {
        find: async () => (await findQemu(options, spec))?.pid,
        words: async () => (await first).trim() || readOwn(join(spec.directory, FILES.log), uid),
      });
    },

    async kill(spec) {
      await checkDirectory(options.pool, spec.directory).catch((error) => {
        // If the directory is gone, so is the process's disk: there is nothing left to stop.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
      // The guest's user could delete the pid file, but its process would still run.
      const found = (await findQemu(options, spec)) ?? (await findHidden(options, spec));
      if (!found) return;
      const { pid, uid } = found;
      await endByForce(clock, spec.id, pid, () => isQemu(pid, spec.uuid, uid));
    },

    // Runs as the guest's user, so a disk file that points elsewhere leads only to what the guest may access anyway.
    async image(owner, command) {
      await checkPlace(options, owner);
      const uid = allowedUid(options, owner);
      const limitMs = imageLimitMs(command);
      const program = [QEMU_IMG, ...imageArguments(owner.directory, command)];
      const limits = { maxBuffer: MAX_PRINTED_BYTES, timeout: limitMs, killSignal: 'SIGKILL' } as const;
      try {
        const line = [...setprivArguments(uid, user), '--', ...program];
        return (await promisify(execFile)('setpriv', line, { ...limits, env: ENVIRONMENT, cwd: '/' })).stdout;
      } catch (error) {
        throw failureOf(QEMU_IMG, error, limitMs);
      }
    },
  };
}

/**
 * Returns arguments that make `setpriv` switch to a guest's user without any privileges. Capabilities would survive the
 * switch, because neither user is root, so all sets are cleared explicitly.
 */
export function setprivArguments(uid: number, { group, groups }: LaunchOptions['user']): string[] {
  const others = groups.length > 0 ? `--groups=${groups.join(',')}` : '--clear-groups';
  const identity = [`--reuid=${uid}`, `--regid=${group}`, others];
  const capabilities = ['--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all'];
  return [...identity, ...capabilities, '--no-new-privs'];
}

function startArguments({ command }: LaunchOptions, spec: QemuSpec): string[] {
  return ['--', 'sh', '-c', START, 'sh', spec.directory, ...command(spec)];
}

async function checkPlace(
  { pool, images }: LaunchOptions,
  { id, directory, directBoot, memory }: DiskOwner & Pick<QemuSpec, 'directBoot' | 'memory'>,
): Promise<void> {
  await checkDirectory(pool, directory).catch((error) => {
    throw error.code ? new InvalidArgumentError(`spec.directory: ${error.message}`) : error;
  });
  if (basename(directory) !== id)
    throw new InvalidArgumentError('spec.directory: belongs to a guest other than spec.id');
  if (memory && memory.file !== join(directory, FILES.memory))
    throw new InvalidArgumentError("spec.memory: is not in the guest's directory");
  if (!directBoot) return;
  const root = await realpath(images);
  for (const name of ['kernel', 'initrd'] as const) {
    const real = await realpath(directBoot[name]).catch(() => '');
    if (real.startsWith(`${root}/`)) continue;
    // Not the service's mistake, and resolved once the images are mounted again.
    if ((await readdir(root)).length === 0)
      throw new Error(`there are no images in ${images}: is it mounted?`);
    throw new InvalidArgumentError(`spec.directBoot.${name}: is not in the directory of images`);
  }
}

/** Verifies that a guest's directory is a real directory, directly in the pool. */
async function checkDirectory(pool: string, directory: string): Promise<void> {
  const name = new RegExp(ID_PATTERN);
  const root = await realpath(pool);
  const fits =
    name.test(basename(directory)) && (await realpath(dirname(directory)).catch(() => '')) === root;
  if (fits && (await realpath(directory)) === join(root, basename(directory))) return;
  throw new InvalidArgumentError("spec.directory: is not a guest's directory in the pool");
}

/** Returns the guest's user id if the host's own configuration allows it. */
function allowedUid({ uids: { from, to } }: LaunchOptions, { uid }: DiskOwner): number {
  if (uid !== undefined && uid >= from && uid <= to) return uid;
  throw new InvalidArgumentError("spec.uid: is not allowed by this host's configuration");
}

/**
 * Throws {@link InvalidArgumentError} if the guest's user runs another process: two guests would have access to each
 * other.
 */
async function checkAlone({ uuid }: QemuSpec, uid: number): Promise<void> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || (await ownerOf(`/proc/${name}`)) !== uid) continue;
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    // Empty for a process that has ended but has not been reaped.
    if (words && !words.split('\0').includes(uuid))
      throw new InvalidArgumentError('spec.uid: belongs to another guest');
  }
}

/** Returns the guest's process if it runs as the guest user that owns its pid file. */
async function findQemu(
  { user, uids: { from, to } }: LaunchOptions,
  { directory, uuid }: Pick<QemuSpec, 'directory' | 'uuid'>,
): Promise<{ pid: number; uid: number } | undefined> {
  const file = join(directory, FILES.pid);
  const uid = await ownerOf(file);
  if (uid === undefined || (uid !== user.uid && (uid < from || uid > to))) return undefined;
  const pid = Number(await readOwn(file, uid).catch(() => ''));
  const found = Number.isSafeInteger(pid) && pid > 1 && (await isQemu(pid, uuid, uid));
  return found ? { pid, uid } : undefined;
}

/** Finds the process by its UUID, without a pid file. */
async function findHidden(
  { user, uids: { from, to } }: LaunchOptions,
  { uuid }: Pick<QemuSpec, 'uuid'>,
): Promise<{ pid: number; uid: number } | undefined> {
  for (const pid of await pidsNamed(uuid)) {
    const uid = await ownerOf(`/proc/${pid}`);
    if (uid !== undefined && (uid === user.uid || (uid >= from && uid <= to))) return { pid, uid };
  }
  return undefined;
}

async function ownerOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

async function isQemu(pid: number, uuid: string, uid: number): Promise<boolean> {
  try {
    const place = `/proc/${pid}`;
    if ((await stat(place)).uid !== uid) return false;
    const file = await open(`${place}/cmdline`);
    try {
      const words = (await file.readFile('utf8')).split('\0');
      return words[words.indexOf('-uuid') + 1] === uuid;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** Returns the beginning of a file written by the guest's user; '' if it is missing or anything else. */
async function readOwn(path: string, uid: number): Promise<string> {
  return readGuestFile(path, MAX_WORDS, { owners: [uid] }).then(String, () => '');
}
