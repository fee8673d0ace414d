import type { WebSocket } from 'ws';
import type { VmRow } from '../db/queries/vms.ts';
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

/** Whom a session was let in for, and on what its right to go on stands. */
export interface Grant {
  kind: ConsoleKind;
  vm: VmRow;
  accountId: string;
  /** The key, the session or the person whose right it is: when that ends, so does the console. */
  rightId: string;
  /** Of a viewer: the share, and the seat held in it. */
  share: { id: string; viewerId: string } | null;
}

/**
 * `connecting` while the guest is being reached, `open` while bytes flow, `closing` from our close until the
 * other side has agreed, `closed` at the end. There is no way back.
 */
export type SessionState = 'connecting' | 'open' | 'closing' | 'closed';

/** Why a client's socket is not read: its guest is not there yet, its guest takes nothing, it sends too much. */
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
    // What the client says before the guest is there waits in its own socket.
    this.hold('connecting');
    this.#smallMessages = new Allowance(clock, SMALL_MESSAGES_IN_HAND_MS, MAX_FLOOD_MS);
    ws.on('message', (data: Buffer) => {
      if (data.length < SMALL_MESSAGE_BYTES) this.#countSmall();
    });
    ws.on('ping', (data: Buffer) => {
      this.#countSmall();
      // A client that pings and reads no answers gets none: they would pile up.
      if (ws.bufferedAmount < HIGH_WATER_BYTES) ws.pong(data);
    });
    // The library closes the socket after an error; without a listener it would end the process.
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

  /** Why it ended; undefined while it has not. */
  get reason(): CloseReason | undefined {
    return this.#reason;
  }

  /** Aborts when the session ends, for whatever reason: what was opened for it is closed then. */
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
    this.release('connecting');
  }

  /** Stops reading what the client sends: it waits in the client's own socket until every hold is released. */
  hold(why: Hold): void {
    if (this.#reason) return;
    this.#holds.add(why);
    this.ws.pause();
  }

  release(why: Hold): void {
    if (!this.#holds.delete(why) || this.#holds.size > 0) return;
    // An answer to a ping could not be heard meanwhile.
    this.#pingedAt = undefined;
    this.ws.resume();
  }

  /** Messages cost time however little they carry: what comes too fast waits until it would have been due. */
  #countSmall(): void {
    const perSecond = this.grant.share ? VIEWER_MESSAGES_PER_SECOND : SMALL_MESSAGES_PER_SECOND;
    const owed = this.#smallMessages.spend(1_000 / perSecond);
    if (owed > 0 && !this.#holds.has('flood')) void this.#waitOut(owed);
  }

  async #waitOut(owed: number): Promise<void> {
    this.hold('flood');
    while (owed > 0 && !this.#reason) {
      await this.#clock.sleep(Math.max(owed, FLOOD_MS), this.signal).catch(() => {});
      // What had been read from the socket before it was held came all the same.
      owed = this.#smallMessages.spend(0);
    }
    this.release('flood');
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
    this.#holds.clear();
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
