import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Runs a program that must succeed; what it printed. */
export async function output(program: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args)).stdout;
}

/** Process ids of QEMUs whose files are in `directory`. */
export async function machines(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return /^[^\0]*qemu-system/.test(line) && line.includes(directory) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Ends all of {@link machines}; their files are free when this resolves. */
export async function killMachines(directory: string): Promise<void> {
  for (;;) {
    const left = await machines(directory);
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    await setTimeout(50);
  }
}
