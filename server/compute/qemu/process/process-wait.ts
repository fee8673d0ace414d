import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../../../platform/clock.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import { hasGone } from './processes.ts';

const LOOK_EVERY_MS = 5;
/** QEMU is up after 50 ms; a host that swaps may take much longer. */
const LAUNCH_MS = 30_000;
const KILL_MS = 10_000;
/** Longest part of QEMU's output in an error message. */
export const MAX_WORDS = 2_000;

/**
 * A guest's `oom_score_adj`. If the host runs out of memory, the kernel kills the largest guest, which is started
 * again, before anything that all guests depend on. Raising the score needs no privileges.
 */
export const GUEST_OOM_SCORE = 500;

/** Finds a launcher's processes and their error output. */
export interface Lookout {
  /** Returns the process id once QEMU runs. */
  find(): Promise<number | undefined>;
  words(): Promise<string>;
}

/**
 * Returns the process id of the QEMU that `child` is or becomes. Throws {@link ComputeUnavailableError} with its output
 * if it exits first. If it takes too long, it is killed.
 */
export async function untilUp(clock: Clock, child: ChildProcess, { find, words }: Lookout): Promise<number> {
  let failure: Error | undefined;
  let over = false;
  child.once('error', (error) => {
    failure = error;
    over = true;
  });
  child.once('exit', () => {
    over = true;
  });
  // QEMU outlives the service, which must not wait for it when exiting.
  child.unref();
  for (let left = LAUNCH_MS; left > 0; left -= LOOK_EVERY_MS) {
    // Read before looking: a QEMU that came up and exited at once has ended too, and its output says why.
    const ended = over;
    const pid = await find();
    if (pid) return pid;
    if (ended) {
      const said = (await words()).trim().slice(-MAX_WORDS) || (failure?.message ?? '');
      throw new ComputeUnavailableError(`QEMU did not start: ${said}`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
  child.kill('SIGKILL');
  throw new ComputeUnavailableError(`QEMU did not start within ${LAUNCH_MS / 1000} s`);
}

/** Kills a guest's process and resolves when it is gone. */
export async function endByForce(
  clock: Clock,
  id: string,
  pid: number,
  isAlive: () => Promise<boolean>,
): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  if (!(await hasGone(clock, isAlive, KILL_MS))) throw new ComputeUnavailableError(`${id} cannot be killed`);
}
