import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { type ComputeDriver, ComputeUnavailableError } from '../driver.ts';

export interface ClusterParts {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** The recorded id: the engine's name and the cluster's own id. */
  id: string;
  /** Region code of the catalog; null for the cluster of the settings. */
  region: string | null;
  endpoints: readonly string[];
  driver: ComputeDriver;
}

/**
 * Longer than a cluster needs to recover from losing a member; shorter than a customer in another region would wait for
 * an order.
 */
const PATIENCE_MS = 10_000;

/** Wraps a cluster's answer, which may itself be undefined. */
export interface Said<T> {
  said: T;
}

/**
 * One of several clusters. Once it fails to answer, questions to all clusters skip it until it answers again, so that
 * other regions continue without it.
 */
export class Cluster {
  readonly id: string;
  readonly region: string | null;
  readonly endpoints: readonly string[];
  readonly driver: ComputeDriver;
  readonly #parts: ClusterParts;
  #silence: ComputeUnavailableError | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.region = parts.region;
    this.endpoints = parts.endpoints;
    this.driver = parts.driver;
  }

  has(hostId: string): boolean {
    return hostId.startsWith(`${this.id}:`);
  }

  /**
   * Returns the driver after verifying that this is the recorded cluster: a different one would know nothing of the
   * guests.
   */
  async same(): Promise<ComputeDriver> {
    const { driver, id, endpoints } = this;
    const found = `${driver.name}:${await driver.place()}`;
    if (found === id) return driver;
    throw new ComputeUnavailableError(`the cluster at ${endpoints.join(', ')} is ${found}, not ${id}`);
  }

  /** Returns the cluster's answer, however long it takes, or undefined if it does not answer. */
  async ask<T>(question: (driver: ComputeDriver) => Promise<T>): Promise<Said<T> | undefined> {
    if (this.#silence) {
      this.#look();
      return undefined;
    }
    try {
      return { said: await question(await this.same()) };
    } catch (error) {
      this.#fell(error as Error);
      return undefined;
    }
  }

  /** Same as `ask`, with a time limit, for questions that a request waits for. */
  async askSoon<T>(question: (driver: ComputeDriver) => Promise<T>): Promise<Said<T> | undefined> {
    const answered = new AbortController();
    const late = this.#parts.clock.sleep(PATIENCE_MS, answered.signal).then(
      () => this.#fell(new Error(`no answer within ${PATIENCE_MS / 1000} s`)),
      () => {},
    );
    try {
      return await Promise.race([this.ask(question), late.then(() => undefined)]);
    } finally {
      answered.abort();
    }
  }

  /** Returns the reason the cluster does not answer. */
  refusal(): ComputeUnavailableError {
    return this.#silence ?? new ComputeUnavailableError(`${this.#name} has not answered`);
  }

  get #name(): string {
    return this.region === null ? 'the cluster of the settings' : `the cluster of region ${this.region}`;
  }

  #fell(cause: Error): void {
    if (!this.#silence)
      this.#parts.logger.warn(
        { err: cause },
        `${this.#name} does not answer: VMs of its region cannot be managed`,
      );
    this.#silence = new ComputeUnavailableError(`${this.#name} does not answer: ${cause.message}`, { cause });
  }

  /** Checks in the background whether the cluster answers again. */
  #look(): void {
    this.#looking ??= this.same()
      .then((driver) => driver.hosts())
      .then(
        () => {
          this.#silence = undefined;
          this.#parts.logger.warn({ cluster: this.id }, `${this.#name} answers again`);
        },
        (error) => this.#fell(error),
      )
      .finally(() => {
        this.#looking = undefined;
      });
  }
}
