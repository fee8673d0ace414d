import { systemClock } from '../platform/clock.ts';
import { InvalidArgumentError } from '../platform/strict-shapes.ts';
import { followAlterations } from './alterations.ts';
import { HelperConnection } from './connection.ts';

/** Rebuilding everything takes seconds; the helper gives each of its programs a minute. */
const CALL_MS = 120_000;

export interface HelperClientOptions {
  /** The socket that the helper listens on. */
  path: string;
  /** The helper's name for messages: "the edge helper". */
  what: string;
  /** Timeout of a call in milliseconds; two minutes by default. */
  callMs?: number;
  /** Creates the error for a failure of the helper, or for an unreachable helper. */
  unavailable(message: string): Error;
}

interface Report {
  /** True if the helper can do its work on this machine. */
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

/** The unprivileged side of a driver whose work is all done by a helper listening on a socket. */
export abstract class HelperClient<Operation extends string> {
  readonly #connection: HelperConnection;
  readonly #closing = new AbortController();

  constructor({ path, what, callMs = CALL_MS, unavailable }: HelperClientOptions) {
    this.#connection = new HelperConnection({
      path,
      callMs,
      what,
      asError: ({ name, message }) =>
        name === 'InvalidArgumentError' ? new InvalidArgumentError(message) : unavailable(message),
    });
  }

  /** Asks the helper what it can do, and keeps the values that depend on its configuration. */
  protected abstract configure(): Promise<Report>;

  async probe(): Promise<Report> {
    try {
      return await this.configure();
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  /** Throws if the helper is not listening. */
  reachable(): Promise<void> {
    return this.#connection.reachable();
  }

  onAltered(listener: () => void): void {
    followAlterations({
      clock: systemClock,
      signal: this.#closing.signal,
      ask: () => this.#connection.call('altered', {}),
      // The helper's configuration may have changed.
      reach: async () => {
        await this.reachable();
        await this.probe();
      },
      listener,
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }

  protected call(operation: Operation, given: object): Promise<unknown> {
    return this.#connection.call(operation, given);
  }
}
