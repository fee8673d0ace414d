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

/** Of one message of the console; Incus sends what it has read at once, which is less. */
const MAX_MESSAGE_BYTES = 1_048_576;
/** The past is not worth waiting for any longer. */
const LOG_MS = 5_000;
/** How often the other end is asked whether it is there. */
const PING_MS = 10_000;

/** What is attached to: the body of the request, and how many connections it takes. */
export interface ConsoleKind {
  body: { type: 'console'; width: number; height: number } | { type: 'vga' };
  connections: number;
}

/** One attachment to a console of a running guest; Incus gives one at a time, of whichever kind. */
export class Attachment {
  /** They wait until they are read. */
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
    // Incus keeps the console for this end as long as any of them is open.
    this.#over.signal.addEventListener('abort', () => this.close(), { once: true });
    if (this.#over.signal.aborted) this.close();
  }

  /**
   * Attaches to a guest that is on; `force` takes the console over from others. Throws as members do: an `IncusError` where the
   * guest is off, or another has the console. Nothing is read before someone reads it.
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
      // Until it is read: what comes meanwhile waits in the socket.
      socket.once('open', () => socket.pause());
      await once(socket, 'open');
      return socket;
    };
    // This one first: without it Incus could not take the console from here.
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

  /** Aborts when it has ended, on either side. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  close(): void {
    for (const socket of [...this.connections, this.#control]) socket.terminate();
    this.#over.abort();
  }

  /** A member that is gone says nothing. This socket is never paused, so that it hears the answer. */
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

/** What a guest has written since its log was read last, from here or elsewhere; empty where that is not known. */
export async function readLog(
  { members, instances }: AttachmentParts,
  { name, location }: Pick<Instance, 'name' | 'location'>,
): Promise<Buffer> {
  const log = await members
    .textAt(location, instances.path(`${name}/console`), { limitMs: LOG_MS })
    .catch(() => '');
  // A refusal, such as for a kind of guest that has none, is JSON.
  return log.startsWith('{"type":"error"') ? Buffer.alloc(0) : Buffer.from(log);
}
