import { randomUUID } from 'node:crypto';
import { type Database, notify, type Transaction } from '../db/database.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';

const JOB_WAITING = 'job_waiting';

/** Who runs the jobs of this node. */
export interface JobReceiver {
  /** Takes the jobs that wait, in the background, as far as there is room; never throws. */
  offer(): void;
}

/**
 * The `jobs` table is the queue: it says what is to be done, how far it is and whose turn it is (see `nextJobs`). This tells
 * the nodes that it has a new job. The node that wrote the job looks first; the others hear of it by NOTIFY, for when
 * that one has no room or has died. A notification that is lost costs the time until the nodes look by themselves
 * (`adopt_jobs` in `background-tasks.ts`).
 */
export class JobQueue implements JobPublisher {
  readonly #db: Database;
  /** Tells this node's notifications from those of others. */
  readonly #sender: string = randomUUID();
  #receiver: JobReceiver | undefined;
  #stopListening: (() => Promise<void>) | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Starts to receive. */
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
