import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for something outside of the test's clock, such as a socket or another process. */
export async function waitFor(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

/** Gives data in transit on this machine's sockets time to arrive. */
export const settled = () => sleep(20);
