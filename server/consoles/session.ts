import type { WebSocket } from 'ws';
import type { VmRow } from '../db/queries/vms/vms.ts';
import type { Clock } from '../platform/clock.ts';
import type { ConsoleKind, Metrics } from '../platform/metrics.ts';
import { Allowance } from './allowance.ts';
import { CLOSE_REASONS, type CloseReason } from './close-reasons.ts';
import {
  FLOOD_MS,
  HIGH_WATER_BYTES,
  MAX_FLOOD_MS,
  SMALL_MESSAGE_BYTES,
  SMALL_MESSAGES_IN_HAND_MS,
  SMALL_MESSAGES_PER_SECOND,
  VIEWER_MESSAGES_PER_SECOND,
} from './limits.ts';

/** The owner of a session, and the right that lets it continue. */
export interface Grant {
  kind: ConsoleKind;
  vm: VmRow;
  accountId: string;
  /** The key, session or person with the right: when it ends, so does the console. */
  rightId: string;
  /** For a viewer: the share, and the seat held in it. */
  share: { id: string; viewerId: string } | null;
}

/**
 * `connecting` while the guest is being reached, `open` while bytes flow, `closing` from our close until the other
 * side confirms it, `closed` at the end. States never go back.
 */
export type SessionState = 'connecting' | 'open' | 'closing' | 'closed';

/**
 * Why a client's socket is not read: its guest is not connected yet, its guest reads nothing, or it sends too much.
 */
type Hold = 'connecting' | 'guest' | 'flood';

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
  readonly #holds = new Set<Hold>();
  readonly #smallMessages: Allowance;
  #pingedAt: number | undefined;

  constructor(grant: Grant, ws: WebSocket, { clock, metrics }: { clock: Clock; metrics: Metrics }) {
    this.grant = grant;
    this.ws = ws;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#lastByteAt = clock.now().getTime();
    // Data that the client sends before the guest is connected waits in the client's socket.
    this.hold('connecting');
    this.#smallMessages = new Allowance(clock, SMALL_MESSAGES_IN_HAND_MS, MAX_FLOOD_MS);
    ws.on('message', (data: Buffer) => {
      if (data.length < SMALL_MESSAGE_BYTES) this.#countSmall();
    });
    ws.on('ping', (data: Buffer) => {
      this.#countSmall();
      // A client that pings without reading the answers gets none, because they would pile up.
      if (ws.bufferedAmount < HIGH_WATER_BYTES) ws.pong(data);
    });
    // The library closes the socket after an error; without a listener the error would end the process.
    ws.on('error', () => {});
    ws.on('pong', () => {
      this.#countSmall();
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

  /** The reason for the end; undefined while the session lasts. */
  get reason(): CloseReason | undefined {
    return this.#reason;
  }

  /** Aborts when the session ends, for any reason, to close what was opened for it. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get lastByteAt(): number {
    return this.#lastByteAt;
  }

  /** The guest is connected: from now on bytes flow. */
  open(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    this.release('connecting');
  }

  /** Stops reading from the client: its data waits in its own socket until every hold is released. */
  hold(why: Hold): void {
    if (this.#reason) return;
    this.#holds.add(why);
    this.ws.pause();
  }

  release(why: Hold): void {
    if (!this.#holds.delete(why) || this.#holds.size > 0) return;
    // An answer to a ping could not be received during the hold.
    this.#pingedAt = undefined;
    this.ws.resume();
  }

  /**
   * Every message costs time, however small: if they arrive too fast, reading waits until they would have been due.
   */
  #countSmall(): void {
    const perSecond = this.grant.share ? VIEWER_MESSAGES_PER_SECOND : SMALL_MESSAGES_PER_SECOND;
    const owed = this.#smallMessages.spend(1_000 / perSecond);
    if (owed > 0 && !this.#holds.has('flood')) void this.#waitOut(owed);
  }

  async #waitOut(owed: number): Promise<void> {
    this.hold('flood');
    while (owed > 0 && !this.#reason) {
      await this.#clock.sleep(Math.max(owed, FLOOD_MS), this.signal).catch(() => {});
      // Messages that had been read from the socket before the hold still arrived.
      owed = this.#smallMessages.spend(0);
    }
    this.release('flood');
  }

  /** Counts bytes: `in` towards the guest, `out` towards the client. */
  count(direction: 'in' | 'out', bytes: number): void {
    this.#lastByteAt = this.#clock.now().getTime();
    this.#metrics.consoleBytes(this.grant.kind, direction, bytes);
  }

  /** Ends the session: nothing more is read from either side. Further calls have no effect. */
  end(reason: CloseReason): void {
    if (!this.#begin(reason)) return;
    this.#state = 'closing';
    const { code, text } = CLOSE_REASONS[reason];
    // A paused socket would never receive the other side's confirmation.
    this.#holds.clear();
    this.ws.resume();
    this.ws.close(code, text);
  }

  /** Cuts the socket if the other side did not confirm the close in time. */
  cut(): void {
    this.ws.terminate();
  }

  /**
   * Checks that the other side is alive; ends the session if neither an answer nor any other byte has arrived for
   * `patienceMs`. Skips a socket that we have paused, because it could not receive the answer.
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
