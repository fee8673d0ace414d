import { once } from 'node:events';
import type WebSocket from 'ws';
import type { Clock } from '../../../platform/clock.ts';
import { COLUMNS, ROWS } from '../../../text-console/picture.ts';
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
/** Typed bytes that a guest has not taken yet; what is typed beyond them is lost, as in any terminal. */
const MAX_TYPED_BYTES = 65_536;
/** The past is not worth waiting for any longer. */
const LOG_MS = 5_000;
/** How often the other end is asked whether it is there. */
const PING_MS = 10_000;

/** One attachment to the text console of a running guest; Incus gives one at a time. */
export class Attachment {
  readonly #data: WebSocket;
  readonly #control: WebSocket;
  readonly #over = new AbortController();

  private constructor(data: WebSocket, control: WebSocket) {
    this.#data = data;
    this.#control = control;
    for (const socket of [data, control]) {
      socket.once('close', () => this.#over.abort());
      if (socket.readyState !== socket.OPEN) this.#over.abort();
    }
  }

  /**
   * Attaches to a guest that is on; `force` takes the console over from others. Throws as members do: an `IncusError` where the
   * guest is off, or another has the console. Nothing is read before {@link read}.
   */
  static async open(
    { members, instances, clock }: AttachmentParts,
    { name, location }: Pick<Instance, 'name' | 'location'>,
    force: boolean,
  ): Promise<Attachment> {
    const body = { type: 'console', width: COLUMNS, height: ROWS, force };
    const { metadata } = await members.at(location, 'POST', instances.path(`${name}/console`), body);
    const { fds } = metadata.metadata as { fds: Record<string, string> };
    const open = async (secret: string | undefined) => {
      const path = `/1.0/operations/${metadata.id}/websocket?secret=${secret}`;
      const socket = await members.socketAt(location, path, MAX_MESSAGE_BYTES);
      // Until it is read: what comes meanwhile waits in the socket.
      socket.once('open', () => socket.pause());
      await once(socket, 'open');
      return socket.on('error', () => {});
    };
    // This one first: without it Incus could not take the console from here.
    const control = await open(fds.control);
    control.resume();
    try {
      const attachment = new Attachment(await open(fds[0]), control);
      void attachment.#watch(clock);
      return attachment;
    } catch (error) {
      control.terminate();
      throw error;
    }
  }

  /** Aborts when it has ended, on either side. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Gives `take` what the guest writes from now on, as it comes, and while it is not paused. */
  read(take: (bytes: Buffer) => void): void {
    this.#data.on('message', (bytes: Buffer, isBinary) => {
      if (isBinary) take(bytes);
    });
    this.#data.resume();
  }

  pause(): void {
    this.#data.pause();
  }

  resume(): void {
    if (!this.signal.aborted) this.#data.resume();
  }

  type(text: string): void {
    if (this.#data.readyState !== this.#data.OPEN || this.#data.bufferedAmount > MAX_TYPED_BYTES) return;
    this.#data.send(Buffer.from(text));
  }

  close(): void {
    for (const socket of [this.#data, this.#control]) socket.terminate();
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
