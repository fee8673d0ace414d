import { systemClock } from '../platform/clock.ts';
import { runCallbacks } from './after-commit.ts';
import { DatabaseAwayError, type OutageLog } from './away.ts';
import { sql } from './database.ts';
import { shortage } from './disk-room.ts';
import { openEngine } from './pglite-engine.ts';
import { PgliteSession } from './pglite-session.ts';

/** How often it is looked whether an outage is over. */
const LOOK_MS = 1_000;
/** Longest pause between two openings that fail although there is room: each holds up the process for a moment. */
const LONGEST_PAUSE_MS = 32_000;

interface Listener {
  channel: string;
  hear: (payload: string) => void;
  /** Called when notifications were lost. */
  onGap: () => void;
  /** Ends it in the session that it is heard in. */
  stop: () => Promise<void>;
}

/**
 * Keeps the embedded engine at work: notices when it cannot, looks until it can, and opens another in the place of one
 * that has broken down, with its listeners.
 */
export class PgliteKeeper {
  readonly #directory: string | undefined;
  readonly #log: OutageLog | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #closed = new AbortController();
  #session: PgliteSession;
  /** The outage that lasts. */
  #away: DatabaseAwayError | undefined;
  /** Something was refused since it was last looked. */
  #refused = false;
  #recovering: Promise<void> | undefined;

  constructor(session: PgliteSession, { directory, log }: { directory?: string; log?: OutageLog }) {
    this.#session = session;
    this.#directory = directory;
    this.#log = log;
  }

  /** The engine that is open now, or the last that was. */
  get session(): PgliteSession {
    return this.#session;
  }

  /** Asks something of a session, of the present one unless told otherwise, and notices where it cannot work. */
  async ask<T>(work: (session: PgliteSession) => Promise<T>, session = this.#session): Promise<T> {
    try {
      return await work(session);
    } catch (error) {
      // What an engine that is no longer used says is old.
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

  /** Looks until there is room and nothing is refused, and opens another engine where the one has broken down. */
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

  /** Whether it works again; throws where an engine could not be opened although there is room. */
  async #works(): Promise<boolean> {
    if (this.#shortage()) return false;
    if (this.#session.broken) await this.#openAnother();
    const refused = this.#refused;
    this.#refused = false;
    return !refused;
  }

  async #openAnother(): Promise<void> {
    // What was in memory is lost, and another process may not have what is in memory of this one.
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
