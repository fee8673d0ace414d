import type { Clock } from '../platform/clock.ts';
import { Allowance } from './allowance.ts';
import { COALESCE_MS, OUTPUT } from './limits.ts';

const ESCAPE = 0x1b;
const LINE_FEED = 0x0a;

/** The receivers of a shared shell's output. */
export interface Outlet {
  readers(): number;
  send(piece: Buffer): void;
}

/**
 * Carries the output of one shell to many readers. Output after a quiet time is sent at once; output faster than
 * {@link OUTPUT} allows, summed over all readers, is combined and sent in pieces, so that the cost of a shell does
 * not depend on how much it prints or how many read it. Does not bound what is pushed: see {@link isFull}.
 */
export class OutputPacer {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #outlet: Outlet;
  readonly #allowance: Allowance;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isCarrying = false;
  #underWay: Promise<void> | undefined;

  /** Sends nothing more once `signal` aborts. */
  constructor(clock: Clock, signal: AbortSignal, outlet: Outlet) {
    this.#clock = clock;
    this.#signal = signal;
    this.#outlet = outlet;
    this.#allowance = new Allowance(clock, OUTPUT.inHandMs);
  }

  /** True if the source should pause until the next piece has been sent. */
  get isFull(): boolean {
    return this.#waitingBytes >= OUTPUT.maxPieceBytes;
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (!this.#isCarrying) this.#underWay = this.#carry();
  }

  /** Resolves when nothing is waiting to be sent. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  async #carry(): Promise<void> {
    this.#isCarrying = true;
    while (this.#waitingBytes > 0 && !this.#signal.aborted) {
      const readers = Math.max(1, this.#outlet.readers());
      const piece = this.#take(pieceBytes(readers));
      this.#outlet.send(piece);
      const cost = ((piece.length + OUTPUT.bytesPerMessage) * readers) / OUTPUT.bytesPerMs;
      const rest = this.#allowance.spend(cost);
      if (rest > 0) await this.#clock.sleep(Math.max(rest, COALESCE_MS), this.#signal).catch(() => {});
    }
    this.#isCarrying = false;
  }

  #take(most: number): Buffer {
    const all = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    const end = cut(all, most);
    this.#waiting = end < all.length ? [all.subarray(end)] : [];
    this.#waitingBytes = all.length - end;
    return all.subarray(0, end);
  }
}

function pieceBytes(readers: number): number {
  const { bytesPerMs, pieceMs, minPieceBytes, maxPieceBytes } = OUTPUT;
  return Math.min(Math.max((bytesPerMs * pieceMs) / readers, minPieceBytes), maxPieceBytes) | 0;
}

/**
 * Returns where to end a piece: not within a control sequence if possible, because a viewer who joins there would see
 * the rest of it as text.
 */
function cut(bytes: Buffer, most: number): number {
  if (bytes.length <= most) return bytes.length;
  const head = bytes.subarray(0, most);
  const end = Math.max(head.lastIndexOf(ESCAPE), head.lastIndexOf(LINE_FEED) + 1);
  return end >= most / 2 ? end : most;
}
