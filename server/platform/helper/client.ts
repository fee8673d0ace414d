import { systemClock } from '../clock.ts';
import { followAlterations } from './alterations.ts';
import { HelperConnection } from './connection.ts';
import { InvalidArgumentError } from './shapes.ts';

/** To rebuild everything takes seconds; its programs are given up after a minute each. */
const CALL_MS = 120_000;

export interface HelperClientOptions {
  /** The socket that the helper listens at. */
  path: string;
  /** Who that is, for messages: "the edge helper". */
  what: string;
  /** How long it may take for anything, in milliseconds; two minutes when absent. */
  callMs?: number;
  /** Makes an error of what the helper could not do, or of that it cannot be reached. */
  unavailable(message: string): Error;
}

/** Whether the helper's work can be done here. */
interface Report {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

/** The side of a service without privileges: a driver all of whose work is done by the helper that listens at a socket. */
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

  /** Asks the helper what it can do, and keeps what belongs to its configuration. */
  protected abstract configure(): Promise<Report>;

  async probe(): Promise<Report> {
    try {
      return await this.configure();
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  /** Throws where the helper does not listen. */
  reachable(): Promise<void> {
    return this.#connection.reachable();
  }

  onAltered(listener: () => void): void {
    followAlterations({
      clock: systemClock,
      signal: this.#closing.signal,
      ask: () => this.#connection.call('altered', {}),
      // It may have another configuration than before.
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
