import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ComputeUnavailableError, type DriverReport, type NetworkPolicy } from '../../driver.ts';
import type { Machine } from '../arguments.ts';
import type { Launcher } from '../launcher.ts';
import type { HostNetwork, NetworkGuest, NetworkReading } from '../network.ts';
import { connectTo } from '../routed/connect.ts';
import { InvalidArgumentError, plainGuest } from '../routed/shapes.ts';
import { readMessages } from './lines.ts';
import type { Operation } from './operations.ts';

interface Reply {
  id: number;
  result?: unknown;
  error?: { name: string; message: string };
}

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
  readonly #waiting = new Map<number, Waiting>();
  #connection: Promise<Socket> | undefined;
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
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

  async launch(machine: Machine): Promise<number> {
    return (await this.#call('launch', { machine })) as number;
  }

  async kill({ id, uuid, directory }: Pick<Machine, 'id' | 'uuid' | 'directory'>): Promise<void> {
    await this.#call('kill', { machine: { id, uuid, directory } });
  }

  /** Without the helper: routes lead to the guests, and anyone on the host may use them. */
  connect(guest: NetworkGuest, port: number): Promise<Duplex> {
    return connectTo(guest, port);
  }

  async close(): Promise<void> {
    const socket = await this.#connection?.catch(() => undefined);
    socket?.destroy();
  }

  async #call(operation: Operation, given: object): Promise<unknown> {
    const socket = await this.#connected();
    const id = ++this.#lastId;
    const reply = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Work under way keeps the process alive, an idle connection does not.
    socket.ref();
    socket.write(`${JSON.stringify({ id, operation, arguments: given })}\n`);
    return reply;
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
