import { PgBoss } from 'pg-boss';
import { bossDatabase, bossTransaction } from '../db/boss-adapter.ts';
import { type Database, sql, type Transaction } from '../db/database.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';

const QUEUE = 'vm-jobs';
/** Deliveries taken at once; each only says that there is a job. */
const BATCH = 20;
/** A delivery is done within milliseconds; one that a dead node took is delivered again after this. */
const DELIVERY_SECONDS = 60;

/** Held while the queue's tables are made: nodes that start together collide inside the server, see `migrate.ts`. */
const PREPARE_LOCK = 7226_0005;

/** Who runs the jobs of this node. */
export interface JobReceiver {
  /** Takes the jobs that wait, as far as there is room; the rest waits in the `jobs` table. */
  fill(): Promise<void>;
  /** The same in the background; never throws. */
  offer(): void;
}

/**
 * Tells the nodes of a job, within the transaction that creates it and, by LISTEN/NOTIFY, within milliseconds. The
 * node that created a job looks for it first, which saves the way through the queue; the delivery is for when that node
 * has no room, or has died. It only rings: the `jobs` table says what is to be done, how far it is and whose turn it is,
 * so a delivery that is lost or doubled changes nothing (see `recover-orphaned-jobs.ts`, {@link nextJob}).
 */
export class JobQueue implements JobPublisher {
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
    await this.#boss.work(QUEUE, { batchSize: BATCH }, () => receiver.fill());
  }

  async send(tx: Transaction, jobId: string): Promise<void> {
    if (!this.#ready) throw new Error('the queue is not prepared');
    await this.#boss.send(QUEUE, { jobId }, { db: bossTransaction(tx) });
    tx.afterCommit(() => this.#receiver?.offer());
  }

  async stop(): Promise<void> {
    if (this.#ready) await this.#boss.stop({ graceful: true, close: false, timeout: 2000 });
    this.#ready = false;
  }
}
