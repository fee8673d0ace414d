import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FILES } from '../../../server/compute/qemu/process/arguments.ts';
import { Monitor } from '../../../server/compute/qemu/process/qmp.ts';
import { systemClock } from '../../../server/platform/clock.ts';

/** Runs a program that must succeed and returns its output. */
export async function output(program: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args)).stdout;
}

/** Returns the process ids of QEMUs whose files are in `directory`. */
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
        // It has already ended.
      }
    }
    await setTimeout(50);
  }
}

/**
 * Returns the state of a guest's processors on a routed network, through the monitor that such a network does not use.
 */
export async function processors(dataDir: string, id: string): Promise<string> {
  const path = join(dataDir, 'guests', id, FILES.networkMonitor);
  const monitor = await Monitor.connect(path, systemClock, () => {});
  try {
    return await monitor.execute('human-monitor-command', { 'command-line': 'info registers -a' });
  } finally {
    monitor.close();
  }
}
