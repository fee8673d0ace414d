import type { Socket } from 'node:net';
import type { Clock } from '../../../platform/clock.ts';
import { MESSAGE_BOUNDS, parseJson } from '../../../platform/peer/json.ts';
import { readLines } from '../../../platform/peer/lines.ts';
import { PeerError } from '../../../platform/peer/peer-error.ts';
import { within } from '../../../platform/within.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import { connectGuestSocket } from '../guest/guest-file.ts';

/** A call normally takes a millisecond; a QEMU that takes this long is broken. */
const CALL_MS = 10_000;
/**
 * Limits of what QEMU may send between two commands. Guests are read every ten seconds, and the largest answers are the
 * console's ring buffer with 342 kB. A QEMU that sends more is broken, or its guest has broken out of it.
 */
const MAX_UNASKED_BYTES = 8 * 1024 * 1024;
const MAX_UNASKED_LINES = 10_000;
/** Longest error text of QEMU that is passed on. */
const MAX_REFUSAL = 2_000;
const PEER = "a guest's QEMU";

/** An event that QEMU sends unasked. */
export interface QmpEvent {
  event: string;
  data?: Record<string, unknown>;
  timestamp: { seconds: number; microseconds: number };
}

interface Reply {
  id?: number;
  return?: unknown;
  error?: { class: string; desc: string };
}

export class QmpError extends Error {
  override name = 'QmpError';
}

/** A client of one QEMU monitor. A monitor serves one client at a time: the next one waits until this one is closed. */
export class Monitor {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #unasked = { bytes: 0, lines: 0 };
  /** Resolves when the connection has ended: QEMU is gone, or {@link close} was called. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, clock: Clock, onEvent: (event: QmpEvent) => void) {
    this.#socket = socket;
    this.#clock = clock;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    // The reason does not matter; `close` reports that the connection has ended.
    socket.on('error', () => {});
    socket.once('close', () => {
      const gone = new ComputeUnavailableError('QEMU went away');
      for (const call of this.#calls.values()) call.reject(gone);
      this.#calls.clear();
      closed.resolve();
    });
    const onLine = (line: Buffer) => this.#receive(line, onEvent);
    readLines(socket, { peer: PEER, onLine, maxBytes: MESSAGE_BOUNDS.maxBytes });
  }

  /** Connects to the monitor at `path`. `onEvent` is called for every event. */
  static async connect(path: string, clock: Clock, onEvent: (event: QmpEvent) => void): Promise<Monitor> {
    const monitor = new Monitor(await connectGuestSocket(path), clock, onEvent);
    try {
      await monitor.execute('qmp_capabilities');
    } catch (error) {
      monitor.close();
      throw error;
    }
    return monitor;
  }

  /**
   * Executes a command. Throws {@link QmpError} if QEMU refuses it, and {@link ComputeUnavailableError} for any other
   * failure.
   */
  execute<T = unknown>(command: string, args?: Record<string, unknown>, patienceMs = CALL_MS): Promise<T> {
    if (this.#socket.destroyed) return Promise.reject(new ComputeUnavailableError('QEMU went away'));
    const id = ++this.#lastId;
    const call = Promise.withResolvers<unknown>();
    this.#calls.set(id, call);
    this.#unasked = { bytes: 0, lines: 0 };
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    const late = () =>
      new ComputeUnavailableError(`QEMU did not answer ${command} within ${patienceMs / 1000} s`);
    return within(this.#clock, patienceMs, call.promise, late).finally(() =>
      this.#calls.delete(id),
    ) as Promise<T>;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(line: Buffer, onEvent: (event: QmpEvent) => void): void {
    const { bytes, lines } = this.#unasked;
    this.#unasked = { bytes: bytes + line.length, lines: lines + 1 };
    if (bytes > MAX_UNASKED_BYTES || lines > MAX_UNASKED_LINES)
      throw new PeerError(PEER, 'sends too much data');
    const message = Object(parseJson(line, PEER)) as Reply | QmpEvent;
    if ('event' in message) {
      onEvent(message);
      return;
    }
    const call = this.#calls.get(message.id ?? 0);
    if (message.error) call?.reject(new QmpError(String(message.error.desc).slice(0, MAX_REFUSAL)));
    else call?.resolve(message.return);
  }
}
