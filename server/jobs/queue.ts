import { randomUUID } from 'node:crypto';
import { type Database, notify, type Transaction } from '../db/database.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';

const JOB_WAITING = 'job_waiting';

export interface JobReceiver {
  /** Takes waiting jobs in the background, as long as there are slots; never throws. */
  offer(): void;
}

/**
 * The `jobs` table is the queue: it says what has to be done, how far it is and whose turn it is (see `nextJobs`). This
 * class tells the nodes about a new job. The node that wrote the job looks first; the others are notified with NOTIFY,
 * in case that node has no free slot or has died. After a lost notification the job waits for the nodes' next periodic
 * look (`adopt_jobs` in `background-tasks.ts`).
 */
export class JobQueue implements JobPublisher {
  readonly #db: Database;
  /** Distinguishes this node's notifications from those of others. */
  readonly #sender: string = randomUUID();
  #receiver: JobReceiver | undefined;
  #stopListening: (() => Promise<void>) | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  async receive(receiver: JobReceiver): Promise<void> {
    this.#receiver = receiver;
    const onJob = (sender: string) => {
      if (sender !== this.#sender) this.#receiver?.offer();
    };
    this.#stopListening = await this.#db.listen(JOB_WAITING, onJob);
  }

  async announce(tx: Transaction): Promise<void> {
    tx.afterCommit(() => this.#receiver?.offer());
    await notify(tx, JOB_WAITING, this.#sender);
  }

  async stop(): Promise<void> {
    this.#receiver = undefined;
    await this.#stopListening?.();
  }
}
