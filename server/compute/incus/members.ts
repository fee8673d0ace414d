import type WebSocket from 'ws';
import type { Clock } from '../../platform/clock.ts';
import { ComputeUnavailableError } from '../driver.ts';
import {
  type Answer,
  type AskOptions,
  type Identity,
  IncusClient,
  IncusError,
  UnansweredError,
} from './client.ts';

/** A member as the cluster reports it. */
export interface MemberInfo {
  server_name: string;
  url: string;
  status: string;
  message: string;
  groups: string[];
}

export interface MembersParts {
  clock: Clock;
  /** Addresses of members; at least one. */
  endpoints: readonly string[];
  identity: Identity;
}

/**
 * A member that did not answer is not asked again for this long: otherwise each of a thousand requests would wait for
 * it.
 */
const REST_MS = 3_000;
/** Cache time of the member list. */
const FRESH_MS = 1_000;
/** A live member answers this immediately, with or without a quorum. */
const PING_MS = 3_000;
/** Length of one wait for an operation, in seconds, and how much later its answer may arrive, in milliseconds. */
const WAIT_SECONDS = 20;
const WAIT_MARGIN_MS = 10_000;

/**
 * The members of a cluster, each of which can answer for the whole cluster. General requests go to one that answers.
 * Requests about a guest go to the guest's own member, so that a lost member is noticed at once and delays nothing
 * else.
 */
export class Members {
  readonly #parts: MembersParts;
  readonly #clients = new Map<string, IncusClient>();
  /** When a member may be asked again, by address; epoch milliseconds. */
  readonly #resting = new Map<string, number>();
  #known = new Map<string, MemberInfo>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<MemberInfo[]> | undefined;

  constructor(parts: MembersParts) {
    this.#parts = parts;
  }

  /** Returns all members that the cluster knows. Throws {@link ComputeUnavailableError} without a quorum. */
  all(): Promise<MemberInfo[]> {
    if (this.#now() - this.#readAt < FRESH_MS) return Promise.resolve([...this.#known.values()]);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Returns whether a member answers now and the cluster considers it online too. */
  async isUp({ url, status }: MemberInfo): Promise<boolean> {
    if (status !== 'Online' && status !== 'Evacuated') return false;
    return this.#of(url)
      .ask('GET', '/1.0', undefined, { limitMs: PING_MS })
      .then(
        () => {
          this.#resting.delete(url);
          return true;
        },
        () => {
          this.#rest(url);
          return false;
        },
      );
  }

  /** Asks any member. Tries the next one if there is no answer, so the request must be safe to repeat. */
  async any(method: string, path: string, body?: unknown, options?: AskOptions): Promise<Answer> {
    const urls = [...new Set([...this.#parts.endpoints, ...[...this.#known.values()].map(({ url }) => url)])];
    const awake = urls.filter((url) => !this.#isResting(url));
    let last: unknown;
    for (const url of awake.length > 0 ? awake : urls) {
      try {
        return await this.#asking(url, method, path, body, options);
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error;
        last = error;
      }
    }
    throw last;
  }

  /** Asks one member, once. Throws {@link ComputeUnavailableError} immediately if it has just failed to answer. */
  async at(
    member: string,
    method: string,
    path: string,
    body?: unknown,
    options?: AskOptions,
  ): Promise<Answer> {
    return this.#asking(await this.#urlOf(member), method, path, body, options);
  }

  /** Same as `at`, for answers that are text. */
  async textAt(member: string, path: string, options?: AskOptions): Promise<string> {
    return this.#of(await this.#urlOf(member)).text('GET', path, undefined, options);
  }

  /** Opens a WebSocket to one member; `maxPayload` bounds its messages, in bytes. */
  async socketAt(member: string, path: string, maxPayload: number): Promise<WebSocket> {
    return this.#of(await this.#urlOf(member)).socket(path, maxPayload);
  }

  /**
   * Starts an operation at one member and waits until it is done. Throws {@link UnansweredError} if the member stops
   * answering: the operation may or may not have completed.
   */
  async work(
    member: string,
    method: string,
    path: string,
    body?: unknown,
    { signal, limitMs }: AskOptions = {},
  ): Promise<void> {
    const { type, metadata } = await this.at(member, method, path, body, { limitMs });
    if (type !== 'async') return;
    for (;;) {
      const wait = `/1.0/operations/${metadata.id}/wait?timeout=${WAIT_SECONDS}`;
      const options = { limitMs: WAIT_SECONDS * 1000 + WAIT_MARGIN_MS, signal };
      const answer = await this.at(member, 'GET', wait, undefined, options);
      const { status_code: code, err } = answer.metadata;
      if (code === 200) return;
      if (code >= 400) throw new IncusError(code, err);
    }
  }

  /** Returns a member that answers, for a stream of events. */
  clientForEvents(): IncusClient {
    const urls = [...new Set([...this.#parts.endpoints, ...[...this.#known.values()].map(({ url }) => url)])];
    return this.#of(urls.find((url) => !this.#isResting(url)) ?? urls[0]!);
  }

  /** Called when an event stream of this member has failed. */
  failed({ url }: IncusClient): void {
    this.#rest(url);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  async #read(): Promise<MemberInfo[]> {
    const { metadata } = await this.any('GET', '/1.0/cluster/members?recursion=1');
    this.#known = new Map((metadata as MemberInfo[]).map((member) => [member.server_name, member]));
    this.#readAt = this.#now();
    return metadata;
  }

  async #urlOf(member: string): Promise<string> {
    if (!this.#known.has(member)) await this.all();
    const found = this.#known.get(member);
    if (!found) throw new ComputeUnavailableError(`the cluster has no member ${member}`);
    if (this.#isResting(found.url)) throw new ComputeUnavailableError(`host ${member} cannot be reached`);
    return found.url;
  }

  async #asking(
    url: string,
    method: string,
    path: string,
    body: unknown,
    options?: AskOptions,
  ): Promise<Answer> {
    try {
      return await this.#of(url).ask(method, path, body, options);
    } catch (error) {
      if (error instanceof UnansweredError) this.#rest(url);
      throw error;
    }
  }

  #of(url: string): IncusClient {
    const { identity, clock } = this.#parts;
    const client = this.#clients.get(url) ?? new IncusClient(url, identity, clock);
    this.#clients.set(url, client);
    return client;
  }

  #isResting(url: string): boolean {
    return (this.#resting.get(url) ?? 0) > this.#now();
  }

  #rest(url: string): void {
    this.#resting.set(url, this.#now() + REST_MS);
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}
