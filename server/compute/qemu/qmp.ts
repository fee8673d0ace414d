import type { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { connectUnix, readLines } from '../../platform/json-lines.ts';
import { within } from '../../platform/within.ts';
import { ComputeUnavailableError } from '../driver.ts';

/** A call takes a millisecond; a QEMU that lets one wait for so long does not work. */
const CALL_MS = 10_000;

/** What QEMU reports by itself. */
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

/** QEMU understood a command and refused it. */
export class QmpError extends Error {
  override name = 'QmpError';
}

/** A client of one QEMU monitor, which serves one client at a time: the next waits until this one is closed. */
export class Monitor {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  /** Resolves when the connection has ended: QEMU is gone, or {@link close} was called. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, clock: Clock, onEvent: (event: QmpEvent) => void) {
    this.#socket = socket;
    this.#clock = clock;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    // The reason does not matter: what counts is that the connection is over, which `close` says.
    socket.on('error', () => {});
    socket.once('close', () => {
      const gone = new ComputeUnavailableError('QEMU went away');
      for (const call of this.#calls.values()) call.reject(gone);
      this.#calls.clear();
      closed.resolve();
    });
    readLines(socket, (line) => this.#receive(line, onEvent));
  }

  /** Connects to the monitor at `path`; `onEvent` is called for everything that QEMU reports. */
  static async connect(path: string, clock: Clock, onEvent: (event: QmpEvent) => void): Promise<Monitor> {
    const monitor = new Monitor(await connectUnix(path), clock, onEvent);
    try {
      await monitor.execute('qmp_capabilities');
    } catch (error) {
      monitor.close();
      throw error;
    }
    return monitor;
  }

  /** Carries out a command. Throws {@link QmpError} when QEMU refuses, else {@link ComputeUnavailableError}. */
  execute<T = unknown>(command: string, args?: Record<string, unknown>, patienceMs = CALL_MS): Promise<T> {
    if (this.#socket.destroyed) return Promise.reject(new ComputeUnavailableError('QEMU went away'));
    const id = ++this.#lastId;
    const call = Promise.withResolvers<unknown>();
    this.#calls.set(id, call);
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    const late = () =>
      new ComputeUnavailableError(`QEMU did not answer ${command} in ${patienceMs / 1000} s`);
    return within(this.#clock, patienceMs, call.promise, late).finally(() =>
      this.#calls.delete(id),
    ) as Promise<T>;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(line: Buffer, onEvent: (event: QmpEvent) => void): void {
    const message = JSON.parse(line.toString()) as Reply | QmpEvent;
    if ('event' in message) {
      onEvent(message);
      return;
    }
    const call = this.#calls.get(message.id ?? 0);
    if (message.error) call?.reject(new QmpError(message.error.desc));
    else call?.resolve(message.return);
  }
}
