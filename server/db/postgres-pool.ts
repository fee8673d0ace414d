import { type Clock, systemClock } from '../platform/clock.ts';
import { DatabaseAwayError } from './away.ts';
import type { Connection } from './postgres-connection.ts';

/** Connections per node. Statements are pipelined over them, so more connections would not be faster. */
const POOL_SIZE = 8;
/** A caller who has waited this long for a connection is better refused than served. */
const WAIT_MS = 10_000;
/** The longest that closing the pool waits for pending statements. */
const CLOSE_MS = 5_000;

interface Waiter {
  alone: boolean;
  /** When the waiter is refused, in milliseconds of the clock. */
  until: number;
  resolve: (connection: Connection) => void;
  reject: (error: unknown) => void;
}

/** A node's connections: shared by single statements, lent to transactions and sessions. */
export class Pool {
  readonly #open: () => Promise<Connection>;
  readonly #clock: Clock;
  readonly #connections = new Set<Connection>();
  readonly #lent = new Set<Connection>();
  /** The number of single statements on each connection, counted from before they are sent until they are answered. */
  readonly #shares = new Map<Connection, number>();
  readonly #waiting = new Set<Waiter>();
  #opening = 0;
  #expiring = false;
  #refusal: Error | undefined;

  constructor(open: () => Promise<Connection>, clock: Clock = systemClock) {
    this.#open = open;
    this.#clock = clock;
  }

  get connections(): Iterable<Connection> {
    return this.#connections;
  }

  /** Runs a single statement on a connection that other single statements may share, but no transaction. */
  async share<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const taken = this.#take(false);
    const connection = taken instanceof Promise ? await taken : taken;
    try {
      return await work(connection);
    } finally {
      const left = (this.#shares.get(connection) ?? 1) - 1;
      if (left > 0) this.#shares.set(connection, left);
      else this.#rest(connection);
      if (this.#waiting.size > 0) this.#serve();
    }
  }

  /** Lends a connection for the caller's exclusive use until {@link giveBack}. */
  async lend(): Promise<Connection> {
    return this.#take(true);
  }

  giveBack(connection: Connection): void {
    this.#lent.delete(connection);
    this.#rest(connection);
    this.#serve();
  }

  /**
   * Fails everything pending, and all requests until {@link resume}. Returns false if the pool was already refusing.
   */
  refuse(error: Error): boolean {
    const news = this.#refusal === undefined;
    this.#refusal ??= error;
    for (const connection of this.#connections) connection.lose(error);
    for (const waiter of this.#waiting) waiter.reject(error);
    this.#waiting.clear();
    return news;
  }

  /** Accepts requests again. Returns false if the pool was not refusing. */
  resume(): boolean {
    const news = this.#refusal !== undefined;
    this.#refusal = undefined;
    return news;
  }

  async close(): Promise<void> {
    const connections = [...this.#connections];
    this.#refusal = new Error('the database is closed');
    for (const waiter of this.#waiting) waiter.reject(this.#refusal);
    this.#waiting.clear();
    const late = new AbortController();
    const ended = Promise.all(connections.map((connection) => connection.close()));
    await Promise.race([ended, systemClock.sleep(CLOSE_MS, late.signal).catch(() => {})]);
    late.abort();
    for (const connection of connections) connection.lose(this.#refusal);
  }

  /** Called when a connection becomes idle: closes it if it is worn. It counts as open until it is closed. */
  #rest(connection: Connection): void {
    this.#shares.delete(connection);
    if (!connection.isWorn || connection.lost) return;
    this.#lent.add(connection);
    connection.close().catch((error) => connection.lose(error));
  }

  #take(alone: boolean): Connection | Promise<Connection> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    // First come, first served: otherwise single statements would keep every connection from a transaction.
    const connection = this.#waiting.size === 0 ? this.#choose(alone) : undefined;
    return connection ? this.#hand(connection, alone) : this.#wait(alone);
  }

  #hand(connection: Connection, alone: boolean): Connection {
    if (alone) this.#lent.add(connection);
    else this.#shares.set(connection, this.#sharesOf(connection) + 1);
    return connection;
  }

  /**
   * Returns the least busy connection, or for `alone` an idle one. If all are busy, opens another, up to {@link
   * POOL_SIZE}. A worn connection gets no more work, so that it becomes idle under any load.
   */
  #choose(alone: boolean): Connection | undefined {
    let best: Connection | undefined;
    for (const connection of this.#connections) {
      if (this.#lent.has(connection) || connection.isWorn) continue;
      if (!best || this.#sharesOf(connection) < this.#sharesOf(best)) best = connection;
    }
    const busy = !best || this.#shares.has(best);
    if (busy) this.#openAnother();
    return alone && busy ? undefined : best;
  }

  #sharesOf(connection: Connection): number {
    return this.#shares.get(connection) ?? 0;
  }

  #wait(alone: boolean): Promise<Connection> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ alone, until: this.#clock.now().getTime() + WAIT_MS, resolve, reject });
      if (!this.#expiring) void this.#expire();
      this.#openAnother();
    });
  }

  /** Refuses waiters whose time is over, in order, until none is left. */
  async #expire(): Promise<void> {
    this.#expiring = true;
    for (const waiter of this.#waiting) {
      // Capped, in case the machine's clock was set back in the meantime.
      await this.#clock.sleep(Math.min(WAIT_MS, waiter.until - this.#clock.now().getTime()));
      if (!this.#waiting.delete(waiter)) continue;
      waiter.reject(new DatabaseAwayError(`no connection to the database was free within ${WAIT_MS} ms`));
    }
    this.#expiring = false;
  }

  /** Hands free connections to the waiters, in order. */
  #serve(): void {
    for (const waiter of this.#waiting) {
      const connection = this.#choose(waiter.alone);
      if (!connection) return;
      this.#waiting.delete(waiter);
      waiter.resolve(this.#hand(connection, waiter.alone));
    }
  }

  #openAnother(): void {
    if (this.#refusal || this.#connections.size + this.#opening >= POOL_SIZE) return;
    this.#opening++;
    this.#open().then(
      (connection) => {
        this.#opening--;
        this.#add(connection);
      },
      (error) => {
        this.#opening--;
        this.#fail(error);
      },
    );
  }

  #add(connection: Connection): void {
    if (this.#refusal) {
      connection.lose(this.#refusal);
      return;
    }
    // A connection lost between opening and here would never report it again, and be handed out forever.
    if (connection.lost) {
      this.#fail(connection.lost);
      return;
    }
    connection.onLost = () => {
      this.#connections.delete(connection);
      this.#lent.delete(connection);
      this.#shares.delete(connection);
      // Waiters who expect a lent connection to return may now wait for nothing.
      if (this.#waiting.size > 0) this.#openAnother();
    };
    this.#connections.add(connection);
    this.#serve();
  }

  /** Waiters who could still be served by other connections keep waiting. */
  #fail(error: unknown): void {
    if (this.#connections.size > 0) return;
    for (const waiter of this.#waiting) waiter.reject(error);
    this.#waiting.clear();
  }
}
