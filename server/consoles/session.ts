import type { WebSocket } from 'ws';
import type { VmRow } from '../db/queries/vms.ts';
import type { Clock } from '../platform/clock.ts';
import type { ConsoleKind, Metrics } from '../platform/metrics.ts';
import { CLOSE_REASONS, type CloseReason } from './close-reasons.ts';

/** Whom a session was let in for, and on what its right to go on stands. */
export interface Grant {
  kind: ConsoleKind;
  vm: VmRow;
  accountId: string;
  keyId: string;
  /** Of a viewer: the share, and the seat held in it. */
  share: { id: string; viewerId: string } | null;
}

/**
 * `connecting` while the guest is being reached, `open` while bytes flow, `closing` from our close until the
 * other side has agreed, `closed` at the end. There is no way back.
 */
export type SessionState = 'connecting' | 'open' | 'closing' | 'closed';

/** One WebSocket of a console, from the upgrade to its close. */
export class ConsoleSession {
  readonly grant: Grant;
  readonly ws: WebSocket;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #over = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #state: SessionState = 'connecting';
  #reason: CloseReason | undefined;
  #lastByteAt: number;
  #pingedAt: number | undefined;

  constructor(grant: Grant, ws: WebSocket, { clock, metrics }: { clock: Clock; metrics: Metrics }) {
    this.grant = grant;
    this.ws = ws;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#lastByteAt = clock.now().getTime();
    // What the client says before the guest is there waits in its own socket.
    ws.pause();
    // The library closes the socket after an error; without a listener it would end the process.
    ws.on('error', () => {});
    ws.on('pong', () => {
      this.#pingedAt = undefined;
    });
    ws.once('close', () => {
      this.#begin('client_left');
      this.#state = 'closed';
      this.#closed.resolve();
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Why it ended; undefined while it has not. */
  get reason(): CloseReason | undefined {
    return this.#reason;
  }

  /** Aborts when the session ends, for whatever reason: what was opened for it is let go of then. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves when the socket is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get lastByteAt(): number {
    return this.#lastByteAt;
  }

  /** The guest is there: from now on bytes flow. */
  open(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    this.ws.resume();
  }

  /** Counts bytes: `in` towards the guest, `out` towards the client. */
  count(direction: 'in' | 'out', bytes: number): void {
    this.#lastByteAt = this.#clock.now().getTime();
    this.#metrics.consoleBytes(this.grant.kind, direction, bytes);
  }

  /** Ends it: nothing is taken from either side any more. A second call changes nothing. */
  end(reason: CloseReason): void {
    if (!this.#begin(reason)) return;
    this.#state = 'closing';
    const { code, text } = CLOSE_REASONS[reason];
    // A socket that was paused would never hear the other side's agreement.
    this.ws.resume();
    this.ws.close(code, text);
  }

  /** Cuts the socket where the other side did not agree in time. */
  cut(): void {
    this.ws.terminate();
  }

  /**
   * Asks whether the other side is there; ends the session when neither an answer nor anything else has moved
   * for `patienceMs`. A socket that we have paused ourselves could not hear the answer.
   */
  ping(now: number, patienceMs: number): void {
    if (this.#state !== 'open' || this.ws.isPaused) return;
    const silentSince = this.#pingedAt && Math.max(this.#pingedAt, this.#lastByteAt);
    if (silentSince === undefined) {
      this.#pingedAt = now;
      this.ws.ping();
    } else if (now - silentSince >= patienceMs) {
      this.end('unresponsive');
      this.cut();
    }
  }

  #begin(reason: CloseReason): boolean {
    if (this.#reason) return false;
    this.#reason = reason;
    this.#over.abort();
    return true;
  }
}
