import type { Transaction } from '../../db/database.ts';

/** Announces new jobs to the nodes: the only part of the queue that code starting a job needs. */
export interface JobPublisher {
  /** Announces to the nodes, if and when the transaction commits, that it has written a job. */
  announce(tx: Transaction): Promise<void>;
}
