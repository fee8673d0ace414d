import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something outside of the test's clock (a socket, another process) has come about. */
export async function waitFor(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

/** Lets what is on its way on this machine's sockets arrive. */
export const settled = () => sleep(20);
