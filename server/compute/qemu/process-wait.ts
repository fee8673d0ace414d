import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../../platform/clock.ts';
import { ComputeUnavailableError } from '../driver.ts';
import { hasGone } from './processes.ts';

const LOOK_EVERY_MS = 5;
/** QEMU is up after 50 ms; a host that swaps may need its time. */
const LAUNCH_MS = 30_000;
const KILL_MS = 10_000;
/** Of what QEMU had to say, in an error's message. */
export const MAX_WORDS = 2_000;

/**
 * A guest's `oom_score_adj`: where the host runs out of memory, the kernel ends the largest guest, which is started
 * again, before anything that all of them need. To raise it takes no privilege.
 */
export const GUEST_OOM_SCORE = 500;

/** How a launcher knows its processes. */
export interface Lookout {
  /** The process id once QEMU runs. */
  find(): Promise<number | undefined>;
  /** What was said where it did not start. */
  words(): Promise<string>;
}

/**
 * The process id of the QEMU that `child` is, or becomes. {@link ComputeUnavailableError} with what was said when
 * it ends before that, or takes too long; then it is ended.
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
  // It is to outlive the service, which must not wait for it.
  child.unref();
  for (let left = LAUNCH_MS; left > 0; left -= LOOK_EVERY_MS) {
    // Asked first: one that came up and ended at once is over all the same, and has said why.
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
  throw new ComputeUnavailableError(`QEMU did not start in ${LAUNCH_MS / 1000} s`);
}

/** Ends a guest's process by force; resolves when it is gone. */
export async function endByForce(
  clock: Clock,
  id: string,
  pid: number,
  isAlive: () => Promise<boolean>,
): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It went away just now.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  if (!(await hasGone(clock, isAlive, KILL_MS))) throw new ComputeUnavailableError(`${id} cannot be ended`);
}
