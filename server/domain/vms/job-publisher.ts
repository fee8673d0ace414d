import type { Transaction } from '../../db/database.ts';

/** Announces new jobs to the nodes: all that the code that starts a job needs of the queue. */
export interface JobPublisher {
  /** Sends a job, if and when the transaction commits. */
  send(tx: Transaction, jobId: string): Promise<void>;
}
