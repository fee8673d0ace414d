import type { Transaction } from '../../db/database.ts';

/** Announces new jobs to the nodes: all that the code that starts a job needs of the queue. */
export interface JobPublisher {
  /** Tells the nodes, if and when the transaction commits, that it has written a job. */
  announce(tx: Transaction): Promise<void>;
}
