import type { Database } from '../db/database.ts';
import type { Task } from '../platform/schedule.ts';
import { HeldLock } from './held-lock.ts';

/**
 * Held by the one leading node. Only that node writes to the edge, detects attacks, and does other work that only one
 * node may do, such as renewals and housekeeping.
 */
const LEADER_LOCK = 7226_0006;

/** This node's leadership. A node that asks while no other node leads becomes the leader. */
export class Leadership extends HeldLock {
  constructor(db: Database) {
    super(db, LEADER_LOCK);
  }
}

/** Wraps a task so that only the leading node runs it. If that node is gone, the next leader does. */
export function led(leadership: Leadership, task: Task): Task {
  return {
    ...task,
    async run(signal) {
      if (await leadership.holds()) await task.run(signal);
    },
  };
}
