import { systemClock } from '../platform/clock.ts';
import { runCallbacks } from './after-commit.ts';
import { DatabaseAwayError, type OutageLog } from './away.ts';
import { sql } from './database.ts';
import { shortage } from './disk-room.ts';
import { openEngine } from './pglite-engine.ts';
import { PgliteSession } from './pglite-session.ts';

/** Interval between checks whether an outage is over. */
const LOOK_MS = 1_000;
/**
 * Longest pause between attempts to open the engine that fail although there is disk space: each blocks the process for
 * a moment.
 */
const LONGEST_PAUSE_MS = 32_000;

interface Listener {
  channel: string;
  hear: (payload: string) => void;
  onGap: () => void;
  /** Ends the listening in the session where it runs. */
  stop: () => Promise<void>;
}

/**
 * Keeps the embedded engine working: detects when it cannot work, checks until it can again, and replaces an engine
 * that has broken down, with its listeners.
 */
export class PgliteKeeper {
  readonly #directory: string | undefined;
  readonly #log: OutageLog | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #closed = new AbortController();
  #session: PgliteSession;
  #away: DatabaseAwayError | undefined;
  /** True if a request has been refused since the last check. */
  #refused = false;
  #recovering: Promise<void> | undefined;

  constructor(session: PgliteSession, { directory, log }: { directory?: string; log?: OutageLog }) {
    this.#session = session;
    this.#directory = directory;
    this.#log = log;
  }

  /** The engine that is open, or the last one that was. */
  get session(): PgliteSession {
    return this.#session;
  }

  /** Runs `work` on a session, by default the current one, and notes an outage if the session cannot work. */
  async ask<T>(work: (session: PgliteSession) => Promise<T>, session = this.#session): Promise<T> {
    try {
      return await work(session);
    } catch (error) {
      // An error from an engine that has been replaced is out of date.
      if (error instanceof DatabaseAwayError && session === this.#session) this.#note(error);
      throw error;
    }
  }

  async check(): Promise<void> {
    if (this.#away) throw this.#away;
    await this.ask((session) => session.query(sql`select 1`));
  }

  async listen(channel: string, hear: (payload: string) => void, onGap: () => void = () => {}) {
    const stop = await this.ask((session) => session.listen(channel, hear));
    const listener: Listener = { channel, hear, onGap, stop };
    this.#listeners.add(listener);
    return async () => {
      this.#listeners.delete(listener);
      await listener.stop().catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#recovering;
    await this.#session.close();
  }

  #note(error: DatabaseAwayError): void {
    this.#refused = true;
    if (this.#away || this.#closed.signal.aborted) return;
    const reason = this.#shortage() ?? error.message;
    this.#away = new DatabaseAwayError(reason, { cause: error });
    this.#log?.onAway(this.#away);
    this.#recovering = this.#recover();
  }

  #shortage(): string | undefined {
    return this.#directory && shortage(this.#directory);
  }

  /** Checks until there is disk space and nothing is refused, and replaces the engine if it has broken down. */
  async #recover(): Promise<void> {
    const { signal } = this.#closed;
    let pause = LOOK_MS;
    for (;;) {
      await systemClock.sleep(pause, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        if (await this.#works()) break;
        pause = LOOK_MS;
      } catch {
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
    this.#away = undefined;
    this.#log?.onBack();
    runCallbacks([...this.#listeners].map(({ onGap }) => onGap));
  }

  /** Returns whether the engine works again; throws if an engine could not be opened although there is disk space. */
  async #works(): Promise<boolean> {
    if (this.#shortage()) return false;
    if (this.#session.broken) await this.#openAnother();
    const refused = this.#refused;
    this.#refused = false;
    return !refused;
  }

  async #openAnother(): Promise<void> {
    // The data in memory is lost, and there is no copy to open again.
    if (this.#directory === undefined) throw new Error('a database in memory cannot be opened again');
    await this.#session.close();
    const session = new PgliteSession(await openEngine(this.#directory));
    try {
      for (const listener of this.#listeners)
        listener.stop = await session.listen(listener.channel, listener.hear);
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#session = session;
    this.#refused = false;
  }
}
