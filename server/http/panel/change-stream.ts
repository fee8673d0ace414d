import { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';

/** A change to something of this kind, with its id if it has one. */
export interface Change {
  kind: ChangeKind;
  id: string | null;
}

export const CHANGE_KINDS = ['vm', 'wallet', 'shield', 'keys'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Number of changes queued for a browser that reads slowly. Beyond it the stream ends; a new one begins with reading
 * everything again.
 */
const MOST_WAITING = 200;
/** Proxies and browsers consider a stream dead after a longer silence. */
const PING_MS = 25_000;

/**
 * A stream of server-sent events to one browser. A change that is already queued is not queued twice, and the queue is
 * bounded, so a browser that does not read costs no more than its socket.
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
    // Sent immediately, so that a browser knows that the stream is open.
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

  /** Keeps the stream open until it ends; `check` ends it if its session has ended. */
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
