import type { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import { COLUMNS, ROWS } from '../../../text-console/picture.ts';
import type { Instance } from '../instance.ts';
import { Attachment, type AttachmentParts, type ConsoleKind, readLog } from './attachment.ts';
import type { Past } from './past.ts';
import type { Screen, Screens } from './screens.ts';
import type { Shown } from './shown.ts';

const KIND: ConsoleKind = { body: { type: 'console', width: COLUMNS, height: ROWS }, connections: 1 };
/** Bytes of a guest's output that are not on the screen yet, from which on no more is read. */
const MAX_WAITING_BYTES = 131_072;
/** Typed bytes that a guest has not taken yet; what is typed beyond them is lost, as in any terminal. */
const MAX_TYPED_BYTES = 65_536;
/** Clears whatever the screen of the last boot has shown. */
const RESET = Buffer.from('\x1bc');

export interface ShownTextParts extends AttachmentParts {
  screens: Screens;
  past: Past;
}

/** The text console of a guest on a screen. */
export class ShownText implements Shown {
  readonly #parts: ShownTextParts;
  readonly #screen: Screen;
  #socket: WebSocket | undefined;
  #waitingBytes = 0;
  #isClosed = false;

  constructor(id: string, parts: ShownTextParts) {
    this.#parts = parts;
    this.#screen = parts.screens.open(id, {
      written: (bytes) => this.#written(bytes),
      typed: (text) => this.#type(text),
    });
  }

  view(): Duplex {
    return this.#screen.view();
  }

  /** What the guest has written until now is shown, too. */
  async attach(instance: Instance, force: boolean): Promise<Attachment> {
    const { past } = this.#parts;
    const attachment = await Attachment.open(this.#parts, instance, KIND, force);
    const [socket] = attachment.connections;
    this.#socket = socket;
    past.add(instance, await readLog(this.#parts, instance));
    this.#write(Buffer.concat([RESET, past.of(instance)]), true);
    socket!.on('message', (bytes: Buffer, isBinary) => {
      if (!isBinary) return;
      // The log of a container will have it, too.
      if (instance.type === 'virtual-machine') past.add(instance, bytes);
      this.#write(bytes, false);
    });
    socket!.resume();
    return attachment;
  }

  close(): void {
    this.#isClosed = true;
    this.#screen.close();
  }

  #write(bytes: Buffer, past: boolean): void {
    if (this.#isClosed) return;
    this.#waitingBytes += bytes.length;
    this.#screen.write(bytes, past);
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#socket?.pause();
  }

  #written(bytes: number): void {
    this.#waitingBytes -= bytes;
    if (this.#waitingBytes < MAX_WAITING_BYTES) this.#socket?.resume();
  }

  #type(text: string): void {
    const socket = this.#socket;
    if (!socket || socket.readyState !== socket.OPEN || socket.bufferedAmount > MAX_TYPED_BYTES) return;
    socket.send(Buffer.from(text));
  }
}
