import type { Database } from '../db/database.ts';
import type { Task } from '../platform/schedule.ts';
import { HeldLock } from './held-lock.ts';

/**
 * Held by the one node that leads: it alone writes to the edge and looks for attacks, and it does what only one must,
 * such as renewals and housekeeping.
 */
const LEADER_LOCK = 7226_0006;

/** Whether this node leads: it does from the moment that it asks while no other does. */
export class Leadership extends HeldLock {
  constructor(db: Database) {
    super(db, LEADER_LOCK);
  }
}

/** A task that is done by the node that leads, and by the next one when that is gone. */
export function led(leadership: Leadership, task: Task): Task {
  return {
    ...task,
    async run(signal) {
      if (await leadership.holds()) await task.run(signal);
    },
  };
}
