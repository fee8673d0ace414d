import { PgBoss } from 'pg-boss';
import { bossDatabase } from '../db/boss-adapter.ts';
import { type Database, sql, type Transaction } from '../db/database.ts';

const QUEUE = 'vm-jobs';
/** Deliveries taken at once; each only hands a job to the runner. */
const BATCH = 20;
/** A delivery is done within milliseconds; one that a dead node took is delivered again after this. */
const DELIVERY_SECONDS = 60;

/** Held while the queue's tables are made: nodes that start together collide inside the server, see `migrate.ts`. */
const PREPARE_LOCK = 7226_0005;

/** Who runs the jobs of this node. */
export interface JobReceiver {
  /** Takes a job and resolves when there is room for more, which is the back-pressure. */
  deliver(jobId: string): Promise<void>;
  /** Takes a job at once or leaves it to a delivery; never throws. */
  offer(jobId: string): void;
}

/** Where new jobs are announced: all that whoever starts a job needs of the queue. */
export interface JobOutlet {
  /** Sends a job, if and when the transaction commits. */
  send(tx: Transaction, jobId: string): Promise<void>;
}

/**
 * Delivers job ids to the nodes, within the transaction that creates the job and, by LISTEN/NOTIFY, within
 * milliseconds. The node that created a job is offered it first, which saves the way through the queue; the delivery
 * is for when that node has no room, or has died. It only delivers: the `jobs` table says what is to be done and how
 * far it is, so a delivery that is lost or doubled changes nothing (see `adopt-jobs.ts`, {@link claimJob}).
 */
export class JobQueue implements JobOutlet {
  readonly #db: Database;
  readonly #boss: PgBoss;
  #ready = false;
  #receiver: JobReceiver | undefined;

  constructor(db: Database, onError: (error: unknown) => void) {
    this.#db = db;
    const backend = db.engine === 'pglite' ? 'pglite' : 'postgres';
    this.#boss = new PgBoss({ db: bossDatabase(db), backend, useListenNotify: true, schedule: false });
    this.#boss.on('error', onError);
  }

  /** Makes the queue's tables where they are missing; from then on jobs can be sent. */
  async prepare(): Promise<void> {
    const session = await this.#db.reserve();
    await session.query(sql`select pg_advisory_lock(${PREPARE_LOCK})`);
    try {
      await this.#boss.start();
      if (!(await this.#boss.getQueue(QUEUE))) {
        await this.#boss.createQueue(QUEUE, { notify: true, expireInSeconds: DELIVERY_SECONDS });
      }
    } finally {
      await session.query(sql`select pg_advisory_unlock(${PREPARE_LOCK})`);
      session.release();
    }
    this.#ready = true;
  }

  /** Starts to receive. */
  async receive(receiver: JobReceiver): Promise<void> {
    this.#receiver = receiver;
    await this.#boss.work<{ jobId: string }>(QUEUE, { batchSize: BATCH }, async (deliveries) => {
      for (const { data } of deliveries) await receiver.deliver(data.jobId);
    });
  }

  async send(tx: Transaction, jobId: string): Promise<void> {
    if (!this.#ready) throw new Error('the queue is not prepared');
    await this.#boss.send(QUEUE, { jobId }, { db: bossDatabase(tx) });
    tx.afterCommit(() => this.#receiver?.offer(jobId));
  }

  async stop(): Promise<void> {
    if (this.#ready) await this.#boss.stop({ graceful: true, close: false, timeout: 2000 });
    this.#ready = false;
  }
}
