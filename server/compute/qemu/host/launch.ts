import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../platform/clock.ts';
import { FILES, type Machine } from '../arguments.ts';
import type { Launcher } from '../launcher.ts';
import { endByForce, MAX_WORDS, untilUp } from '../launching.ts';
import { ID_PATTERN, InvalidArgumentError } from '../routed/shapes.ts';

const PATH = '/usr/bin:/bin';

export interface LaunchOptions {
  clock: Clock;
  /** Whom guests run as: never root, and not the service. */
  user: { name: string; uid: number; group: string };
  /** The directory of all guests' directories. */
  pool: string;
  /** The directory that kernels of images lie under. */
  images: string;
  /** The program and its arguments. */
  command(machine: Machine): string[];
}

/**
 * Runs as the guest's user, in the guest's directory: whatever lies there, links too, is opened with that user's
 * rights. The group, which the service is in, may use the sockets, and read
 * the pid file: QEMU itself would make it for its owner alone.
 */
const START = `umask 007 && cd -- "$1" && rm -f ${FILES.pid} && : >${FILES.pid} && shift && exec "$@" </dev/null >${FILES.log} 2>&1`;

/**
 * Starts machines as a user of their own, each in a session of its own, with no privilege left to gain. Files are
 * given by the service, which may be in a stranger's hands: this process reads a pid and a log there and follows no
 * link to them; it writes nothing.
 */
export function createPrivilegedLauncher(options: LaunchOptions): Launcher {
  const { clock, user } = options;
  return {
    async launch(machine) {
      await checkPlace(options, machine);
      const running = await findMachine(machine, user.uid);
      if (running) return running;
      const child = spawn('setpriv', [...setprivArguments(user), ...startArguments(options, machine)], {
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH, LC_ALL: 'C' },
      });
      const first = text(child.stderr!);
      return untilUp(clock, child, {
        find: () => findMachine(machine, user.uid),
        words: async () => (await first).trim() || readOwn(join(machine.directory, FILES.log), user.uid),
      });
    },

    async kill(machine) {
      await checkDirectory(options.pool, machine.directory).catch((error) => {
        // With the directory its process has lost its disk: there is nothing left to end.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
      const pid = await findMachine(machine, user.uid);
      if (pid) await endByForce(clock, machine.id, pid, () => isMachine(pid, machine.uuid, user.uid));
    },
  };
}

function setprivArguments({ name, group }: LaunchOptions['user']): string[] {
  const identity = [`--reuid=${name}`, `--regid=${group}`, '--init-groups'];
  return [...identity, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}

function startArguments({ command }: LaunchOptions, machine: Machine): string[] {
  return ['--', 'sh', '-c', START, 'sh', machine.directory, ...command(machine)];
}

async function checkPlace(
  { pool, images }: LaunchOptions,
  { directory, directBoot }: Machine,
): Promise<void> {
  await checkDirectory(pool, directory).catch((error) => {
    throw error.code ? new InvalidArgumentError(`machine.directory: ${error.message}`) : error;
  });
  if (!directBoot) return;
  const root = await realpath(images);
  for (const name of ['kernel', 'initrd'] as const) {
    const real = await realpath(directBoot[name]).catch(() => '');
    if (!real.startsWith(`${root}/`)) {
      throw new InvalidArgumentError(`machine.directBoot.${name}: is not in the directory of images`);
    }
  }
}

/** A guest's directory is a real one, directly in the pool. */
async function checkDirectory(pool: string, directory: string): Promise<void> {
  const name = new RegExp(ID_PATTERN);
  const root = await realpath(pool);
  const fits =
    name.test(basename(directory)) && (await realpath(dirname(directory)).catch(() => '')) === root;
  if (fits && (await realpath(directory)) === join(root, basename(directory))) return;
  throw new InvalidArgumentError("machine.directory: is not a guest's directory in the pool");
}

/** The machine's process, if it runs and runs as the guests' user. */
async function findMachine(
  { directory, uuid }: Pick<Machine, 'directory' | 'uuid'>,
  uid: number,
): Promise<number | undefined> {
  const pid = Number(await readOwn(join(directory, FILES.pid), uid).catch(() => ''));
  return Number.isSafeInteger(pid) && pid > 1 && (await isMachine(pid, uuid, uid)) ? pid : undefined;
}

async function isMachine(pid: number, uuid: string, uid: number): Promise<boolean> {
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

/** The beginning of a file that the guests' user wrote; '' for anything else that lies there, or nothing. */
async function readOwn(path: string, uid: number): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return '';
  try {
    const status = await file.stat();
    if (!status.isFile() || status.uid !== uid) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_WORDS), 0, MAX_WORDS, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
