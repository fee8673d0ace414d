import { once } from 'node:events';
import type WebSocket from 'ws';
import type { Clock } from '../../../platform/clock.ts';
import type { Instance } from '../instance.ts';
import type { Instances } from '../instances.ts';
import type { Members } from '../members.ts';

export interface AttachmentParts {
  clock: Clock;
  members: Members;
  instances: Instances;
}

/** Limit for one console message. Incus forwards each read separately, and its reads are smaller than this. */
const MAX_MESSAGE_BYTES = 1_048_576;
/** Old output is not worth a longer wait. */
const LOG_MS = 5_000;
const PING_MS = 10_000;

/** The kind of console to attach to: the request body and the number of connections it needs. */
export interface ConsoleKind {
  body: { type: 'console'; width: number; height: number } | { type: 'vga' };
  connections: number;
}

/** One attachment to the console of a running guest. Incus allows one at a time, whatever its kind. */
export class Attachment {
  /** Paused until someone reads them. */
  readonly connections: readonly WebSocket[];
  readonly #control: WebSocket;
  readonly #over = new AbortController();

  private constructor(connections: WebSocket[], control: WebSocket) {
    this.connections = connections;
    this.#control = control;
    for (const socket of [...connections, control]) {
      socket.once('close', () => this.#over.abort());
      if (socket.readyState !== socket.OPEN) this.#over.abort();
    }
    // Incus keeps the console reserved for this end as long as any of these sockets is open.
    this.#over.signal.addEventListener('abort', () => this.close(), { once: true });
    if (this.#over.signal.aborted) this.close();
  }

  /**
   * Attaches to a guest that is on; `force` takes the console over from others. Throws the same errors as members: an
   * `IncusError` if the guest is off or the console is in use by another client. The connections stay paused until
   * someone reads them.
   */
  static async open(
    { members, instances, clock }: AttachmentParts,
    { name, location }: Pick<Instance, 'name' | 'location'>,
    kind: ConsoleKind,
    force: boolean,
  ): Promise<Attachment> {
    const body = { ...kind.body, force };
    const { metadata } = await members.at(location, 'POST', instances.path(`${name}/console`), body);
    const { fds } = metadata.metadata as { fds: Record<string, string> };
    const open = async (secret: string | undefined) => {
      const path = `/1.0/operations/${metadata.id}/websocket?secret=${secret}`;
      const socket = await members.socketAt(location, path, MAX_MESSAGE_BYTES);
      // Pause until someone reads: data that arrives before then waits in the socket.
      socket.once('open', () => socket.pause());
      await once(socket, 'open');
      return socket;
    };
    // The control socket must be opened first: without it, Incus could not take the console over from here.
    const control = await open(fds.control);
    control.resume();
    const opened: WebSocket[] = [];
    try {
      while (opened.length < kind.connections) opened.push(await open(fds[0]));
      const attachment = new Attachment(opened, control);
      void attachment.#watch(clock);
      return attachment;
    } catch (error) {
      for (const socket of [...opened, control]) socket.terminate();
      throw error;
    }
  }

  /** Aborts when either side ends the attachment. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  close(): void {
    for (const socket of [...this.connections, this.#control]) socket.terminate();
    this.#over.abort();
  }

  /**
   * Detects a member that died without closing the connection. The control socket is never paused, so the pongs always
   * arrive.
   */
  async #watch(clock: Clock): Promise<void> {
    let answered = true;
    this.#control.on('pong', () => {
      answered = true;
    });
    while (!this.signal.aborted && answered) {
      answered = false;
      this.#control.ping();
      await clock.sleep(PING_MS, this.signal).catch(() => {});
    }
    this.close();
  }
}

/** Returns what a guest has written since anyone last read its log, or an empty buffer if that is unknown. */
export async function readLog(
  { members, instances }: AttachmentParts,
  { name, location }: Pick<Instance, 'name' | 'location'>,
): Promise<Buffer> {
  const log = await members
    .textAt(location, instances.path(`${name}/console`), { limitMs: LOG_MS })
    .catch(() => '');
  // Incus answers a refusal with JSON, for example for a kind of guest that has no log.
  return log.startsWith('{"type":"error"') ? Buffer.alloc(0) : Buffer.from(log);
}
