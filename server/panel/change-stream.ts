import { Readable } from 'node:stream';
import type { Clock } from '../platform/clock.ts';

/** What has changed: a thing of this kind, with this id where it has one. */
export interface Change {
  kind: ChangeKind;
  id: string | null;
}

export const CHANGE_KINDS = ['vm', 'wallet', 'shield', 'keys'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Changes that wait for a browser that reads slowly. Beyond it the stream ends: a new one begins by reading all again. */
const MOST_WAITING = 200;
/** Proxies and browsers take a stream that says nothing for so long for dead. */
const PING_MS = 25_000;

/**
 * A stream of server-sent events to one browser. A change that waits already is not said twice, and what waits is
 * bounded, so that a browser that does not read costs no more than its socket.
 */
export class ChangeStream {
  readonly accountId: string;
  readonly sessionId: string;
  readonly readable: Readable;
  readonly #waiting = new Set<string>();
  readonly #over = new AbortController();
  #isReading = false;

  constructor(whose: { accountId: string; sessionId: string }, hangUp: AbortSignal) {
    this.accountId = whose.accountId;
    this.sessionId = whose.sessionId;
    this.readable = new Readable({ read: () => this.#flush(), highWaterMark: 16 * 1024 });
    this.readable.once('close', () => this.end());
    // Said at once, so that a browser knows the stream to be open.
    this.readable.push('retry: 3000\n\n');
    if (hangUp.aborted) this.end();
    else hangUp.addEventListener('abort', () => this.end(), { once: true });
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  tell({ kind, id }: Change): void {
    this.#waiting.add(JSON.stringify({ kind, id }));
    if (this.#waiting.size > MOST_WAITING) this.end();
    else if (this.#isReading) this.#flush();
  }

  /** Keeps the stream open until it is over; `check` ends it where its session is. */
  async keepOpen(clock: Clock, check: () => Promise<void>): Promise<void> {
    while (!this.over.aborted) {
      await clock.sleep(PING_MS, this.over).catch(() => {});
      if (this.over.aborted) return;
      await check();
      if (this.#isReading && !this.over.aborted) this.#isReading = this.readable.push(': ping\n\n');
    }
  }

  end(): void {
    if (this.over.aborted) return;
    this.#over.abort();
    this.#waiting.clear();
    if (!this.readable.destroyed) this.readable.push(null);
  }

  #flush(): void {
    this.#isReading = true;
    for (const change of this.#waiting) {
      this.#waiting.delete(change);
      this.#isReading = this.readable.push(`data: ${change}\n\n`);
      if (!this.#isReading) return;
    }
  }
}
