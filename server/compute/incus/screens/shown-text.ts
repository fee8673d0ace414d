import type { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import { COLUMNS, ROWS } from '../../../screens/text-console/picture.ts';
import type { Instance } from '../instance.ts';
import { Attachment, type AttachmentParts, type ConsoleKind, readLog } from './attachment.ts';
import type { Past } from './past.ts';
import type { Screen, Screens } from './screens.ts';
import type { Shown } from './shown.ts';

const KIND: ConsoleKind = { body: { type: 'console', width: COLUMNS, height: ROWS }, connections: 1 };
/** Reading from the guest pauses once this many bytes of its output are not on the screen yet. */
const MAX_WAITING_BYTES = 131_072;
/** Limit of typed bytes that a guest has not taken yet. Further input is lost, as in any terminal. */
const MAX_TYPED_BYTES = 65_536;
/** Clears the screen of the previous boot. */
const RESET = Buffer.from('\x1bc');

export interface ShownTextParts extends AttachmentParts {
  screens: Screens;
  past: Past;
}

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

  /** Also shows what the guest has written until now. */
  async attach(instance: Instance, force: boolean): Promise<Attachment> {
    const { past } = this.#parts;
    const attachment = await Attachment.open(this.#parts, instance, KIND, force);
    const [socket] = attachment.connections;
    this.#socket = socket;
    past.add(instance, await readLog(this.#parts, instance));
    this.#write(Buffer.concat([RESET, past.of(instance)]), true);
    socket!.on('message', (bytes: Buffer, isBinary) => {
      if (!isBinary) return;
      // A container's output also goes to its log, which is read on the next attachment.
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
