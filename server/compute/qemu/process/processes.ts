import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { GuestFileError, readGuestFile } from '../guest/guest-file.ts';
import { FILES } from './arguments.ts';

/** `USER_HZ`, the unit of times in /proc; the same on every Linux supported here. */
const TICKS_A_SECOND = 100;
const LOOK_EVERY_MS = 5;
const MAX_PID_BYTES = 32;

/** Returns whether `pid` is the QEMU with this uuid; the kernel reuses process ids. */
export async function isQemu(pid: number, uuid: string): Promise<boolean> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return words.split('\0').includes(uuid);
}

/** Returns the process of the guest in `directory`, or undefined if it is not running. Throws if that is unknown. */
export async function findQemu(directory: string, uuid: string): Promise<number | undefined> {
  let pid: number;
  try {
    pid = Number((await readGuestFile(join(directory, FILES.pid), MAX_PID_BYTES)).toString());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof GuestFileError)) throw error;
    // The guest has replaced the file, but its process may still run.
    return (await pidsNamed(uuid))[0];
  }
  return Number.isSafeInteger(pid) && pid > 0 && (await isQemu(pid, uuid)) ? pid : undefined;
}

/** Returns the processes started with `-uuid` and this value. Scanning all processes takes about 10 ms. */
export async function pidsNamed(uuid: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (words[words.indexOf('-uuid') + 1] === uuid) found.push(Number(name));
  }
  return found;
}

/** Returns whether the process that `isAlive` watches ended within `ms`. */
export async function hasGone(clock: Clock, isAlive: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (let left = ms; await isAlive(); left -= LOOK_EVERY_MS) {
    if (left <= 0) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
  return true;
}

/** Returns the CPU seconds used by threads of a process; a thread that is gone counts as 0. */
export async function cpuSeconds(pid: number, threads: number[]): Promise<number> {
  const ticks = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '');
      // The second field is a name in parentheses, which may contain any characters.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return text ? Number(fields[11]) + Number(fields[12]) : 0;
    }),
  );
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_A_SECOND;
}

export async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}
