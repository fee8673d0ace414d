import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock } from '../../../platform/clock.ts';
import { ComputeUnavailableError, type DriverReport, type NetworkPolicy } from '../../driver.ts';
import type { QemuSpec } from '../arguments.ts';
import type { Launcher } from '../direct-launcher.ts';
import type { HostNetwork, NetworkGuest, NetworkReading } from '../network.ts';
import type { GuestUsers } from '../ownership.ts';
import { connectTo } from '../routed/connect.ts';
import { InvalidArgumentError, plainGuest } from '../routed/shapes.ts';
import { within } from '../timeouts.ts';
import { readMessages } from './lines.ts';
import type { Operation } from './operations.ts';

interface Reply {
  id: number;
  result?: unknown;
  error?: { name: string; message: string };
}

/**
 * How long the helper may take for anything: its programs are given up after a minute each, and to make the rules of all
 * guests anew takes some.
 */
const CALL_MS = 180_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * The routed network and the launcher of a service without privileges: everything is done by the helper that listens
 * at a socket. Connects when first asked, and again after the helper was restarted; {@link ComputeUnavailableError}
 * while it cannot be reached.
 */
export class HostClient implements HostNetwork, Launcher {
  readonly mode = 'routed';
  readonly #path: string;
  readonly #callMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #connection: Promise<Socket> | undefined;
  #lastId = 0;

  constructor(path: string, callMs = CALL_MS) {
    this.#path = path;
    this.#callMs = callMs;
  }

  async probe(): Promise<DriverReport> {
    try {
      return (await this.#call('probe', {})) as DriverReport;
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  async attach(guest: NetworkGuest, policy: NetworkPolicy): Promise<string> {
    return (await this.#call('attach', { guest: plainGuest(guest), policy })) as string;
  }

  async apply(guest: NetworkGuest, policy: NetworkPolicy): Promise<void> {
    await this.#call('apply', { guest: plainGuest(guest), policy });
  }

  async reassert(guests: { guest: NetworkGuest; policy: NetworkPolicy }[]): Promise<string[]> {
    const plain = guests.map(({ guest, policy }) => ({ guest: plainGuest(guest), policy }));
    return (await this.#call('reassert', { guests: plain })) as string[];
  }

  async altered(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const aborted = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    return Promise.race([this.#call('altered', {}) as Promise<boolean>, aborted]);
  }

  async reachable(): Promise<void> {
    const socket = await this.#connected();
    if (this.#waiting.size === 0) socket.unref();
  }

  async detach(id: string): Promise<void> {
    await this.#call('detach', { id });
  }

  async counters(ids: string[]): Promise<Map<string, NetworkReading>> {
    return new Map((await this.#call('counters', { ids })) as [string, NetworkReading][]);
  }

  /** Whom guests run as: users of this host's own configuration. */
  async users(): Promise<GuestUsers> {
    return (await this.#call('users', {})) as GuestUsers;
  }

  async launch(spec: QemuSpec): Promise<number> {
    return (await this.#call('launch', { spec })) as number;
  }

  async kill({ id, uuid, directory }: Pick<QemuSpec, 'id' | 'uuid' | 'directory'>): Promise<void> {
    await this.#call('kill', { spec: { id, uuid, directory } });
  }

  /** Without the helper: routes lead to the guests, and anyone on the host may use them. */
  connect(guest: NetworkGuest, port: number): Promise<Duplex> {
    return connectTo(guest, port);
  }

  async close(): Promise<void> {
    const socket = await this.#connection?.catch(() => undefined);
    socket?.destroy();
  }

  #call(operation: Operation, given: object): Promise<unknown> {
    const id = ++this.#lastId;
    // A helper that hangs must not keep what has to be undone, or tried again, from that.
    const late = () => {
      this.#forget(id);
      return unreachable(`it did not answer ${operation} in ${this.#callMs / 1000} s`);
    };
    return within(systemClock, this.#callMs, this.#ask(id, operation, given), late);
  }

  async #ask(id: number, operation: Operation, given: object): Promise<unknown> {
    const socket = await this.#connected();
    const reply = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Work under way keeps the process alive, an idle connection does not.
    socket.ref();
    socket.write(`${JSON.stringify({ id, operation, arguments: given })}\n`);
    return reply;
  }

  /** A later answer is dropped. */
  #forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#connection?.then((socket) => socket.unref()).catch(() => {});
  }

  #connected(): Promise<Socket> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#path);
    let why = 'it ended the connection';
    socket.on('error', (error) => {
      why = error.message;
    });
    socket.on('close', () => {
      this.#connection = undefined;
      for (const { reject } of this.#waiting.values()) reject(unreachable(why));
      this.#waiting.clear();
    });
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw unreachable((error as Error).message);
    }
    readMessages(socket, (message) => this.#settle(socket, message as Reply));
    return socket;
  }

  #settle(socket: Socket, { id, result, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) socket.unref();
    if (error) waiting?.reject(asError(error));
    else waiting?.resolve(result);
  }
}

function unreachable(why: string): ComputeUnavailableError {
  return new ComputeUnavailableError(`the host helper cannot be reached: ${why}`);
}

function asError({ name, message }: { name: string; message: string }): Error {
  return name === 'InvalidArgumentError'
    ? new InvalidArgumentError(message)
    : new ComputeUnavailableError(message);
}
