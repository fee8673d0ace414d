import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { DESKTOP_SIZE, encodeRectangle, encodeSize, HEXTILE, RAW } from './encodings.ts';
import { decodeFormat, encodeFormat, OFFERED, PixelWriter } from './pixel-format.ts';
import { ByteReader } from './reader.ts';
import type { Look, Screen, Size } from './screen.ts';

const VERSION = 'RFB 003.008\n';
const SECURITY_NONE = 1;
/** Maximum size of a client's clipboard. The content is discarded, and a longer one ends the connection. */
const MAX_CLIPBOARD = 1_048_576;
const MAX_ENCODINGS = 1024;

const MESSAGE = { format: 0, encodings: 2, update: 3, key: 4, pointer: 5, clipboard: 6 } as const;

/** Serves one viewer until its stream ends: RFB 3.8 (and 3.7, 3.3), without authentication. Never rejects. */
export async function serveRfb(stream: Duplex, screen: Screen): Promise<void> {
  const viewer = new Viewer(stream, screen);
  stream.on('error', () => {});
  try {
    await viewer.serve();
  } catch {
    // The viewer disconnected, or does not speak RFB.
  } finally {
    viewer.end();
    stream.destroy();
  }
}

class Viewer {
  readonly #reader: ByteReader;
  readonly #stream: Duplex;
  readonly #closed = new AbortController();
  readonly #screen: Screen;
  readonly #look: Look;
  #pixels = new PixelWriter(OFFERED);
  #encoding: typeof RAW | typeof HEXTILE = RAW;
  /** The size that the viewer knows. */
  #size: Size;
  #knowsSizes = false;
  /** The viewer has no picture yet, or asked for the whole one. */
  #wantsAll = true;
  /**
   * The viewer asked for an update and did not get it yet. It only asks again afterwards, so a slow one gets fewer.
   */
  #asked = false;
  #sending = false;

  constructor(stream: Duplex, screen: Screen) {
    this.#stream = stream;
    this.#reader = new ByteReader(stream);
    this.#screen = screen;
    this.#look = screen.look(() => this.changed());
    this.#size = this.#look.size;
    stream.once('close', () => this.#closed.abort());
  }

  end(): void {
    this.#look.end();
  }

  async serve(): Promise<void> {
    await this.#greet();
    for (;;) await this.#message((await this.#reader.take(1))[0]!);
  }

  async #greet(): Promise<void> {
    await this.#write(Buffer.from(VERSION));
    const version = (await this.#reader.take(VERSION.length)).toString();
    const minor = Number(/^RFB 003\.(\d{3})\n$/.exec(version)?.[1]);
    if (Number.isNaN(minor)) throw new Error('not an RFB client');
    if (minor < 7) await this.#write(Buffer.of(0, 0, 0, SECURITY_NONE));
    else {
      await this.#write(Buffer.of(1, SECURITY_NONE));
      const [chosen] = await this.#reader.take(1);
      if (chosen !== SECURITY_NONE) throw new Error('an unknown security type');
      if (minor >= 8) await this.#write(Buffer.alloc(4));
    }
    // The client cannot decide whether others may watch: they may.
    await this.#reader.take(1);
    const name = Buffer.from(this.#screen.name);
    const init = Buffer.alloc(24);
    this.#size = this.#look.size;
    init.writeUInt16BE(this.#size.width, 0);
    init.writeUInt16BE(this.#size.height, 2);
    encodeFormat(OFFERED).copy(init, 4);
    init.writeUInt32BE(name.length, 20);
    await this.#write(Buffer.concat([init, name]));
  }

  async #message(type: number): Promise<void> {
    const reader = this.#reader;
    if (type === MESSAGE.format) {
      const format = decodeFormat((await reader.take(19)).subarray(3));
      if (!format) throw new Error('an unsupported pixel format');
      this.#pixels = new PixelWriter(format);
      this.#wantsAll = true;
    } else if (type === MESSAGE.encodings) await this.#encodings();
    else if (type === MESSAGE.update) {
      const [incremental] = await reader.take(9);
      if (!incremental) this.#wantsAll = true;
      this.#asked = true;
      this.changed();
    } else if (type === MESSAGE.key) {
      const event = await reader.take(7);
      this.#look.key(event.readUInt32BE(3), event[0] !== 0);
    } else if (type === MESSAGE.pointer) {
      const event = await reader.take(5);
      this.#look.pointer(event.readUInt16BE(1), event.readUInt16BE(3), event[0]!);
    } else if (type === MESSAGE.clipboard) {
      const length = (await reader.take(7)).readUInt32BE(3);
      if (length > MAX_CLIPBOARD) throw new Error('a clipboard that is too large');
      await reader.skip(length);
    } else throw new Error(`unknown message ${type}`);
  }

  async #encodings(): Promise<void> {
    const count = (await this.#reader.take(3)).readUInt16BE(1);
    if (count > MAX_ENCODINGS) throw new Error('too many encodings');
    const list = await this.#reader.take(count * 4);
    const known = Array.from({ length: count }, (_, at) => list.readInt32BE(at * 4));
    this.#encoding = known.includes(HEXTILE) ? HEXTILE : RAW;
    this.#knowsSizes = known.includes(DESKTOP_SIZE);
  }

  /** Called when the picture may have changed or the viewer asked: sends an update if there is one. */
  changed(): void {
    if (this.#asked && !this.#sending) this.#send().catch(() => this.#stream.destroy());
  }

  async #send(): Promise<void> {
    this.#sending = true;
    try {
      while (this.#asked) {
        const update = await this.#screen.draw(() => this.#update());
        if (!update) return;
        await this.#write(update);
      }
    } finally {
      this.#sending = false;
    }
  }

  /** Returns an update for the viewer; undefined if there is nothing new. */
  #update(): Buffer | undefined {
    const { size } = this.#look;
    if (size.width !== this.#size.width || size.height !== this.#size.height) return this.#resize(size);
    const frame = this.#look.frame(this.#wantsAll);
    if (!frame) return undefined;
    this.#asked = false;
    this.#wantsAll = false;
    return updateOf(
      frame.areas.map((area) => encodeRectangle(frame.pixels(area), area, this.#encoding, this.#pixels)),
    );
  }

  /** Returns an update with the new size only: it invalidates the viewer's picture, so the viewer asks again. */
  #resize(size: Size): Buffer {
    if (!this.#knowsSizes) throw new Error('a viewer that does not support changes of the screen size');
    this.#size = size;
    this.#asked = false;
    this.#wantsAll = true;
    return updateOf([encodeSize(size)]);
  }

  /**
   * Waits until a slow viewer has read what it was sent, which delays only that viewer and gives it fewer updates.
   */
  async #write(bytes: Buffer): Promise<void> {
    if (!this.#stream.write(bytes)) await once(this.#stream, 'drain', { signal: this.#closed.signal });
  }
}

function updateOf(rectangles: Buffer[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(rectangles.length, 2);
  return Buffer.concat([head, ...rectangles]);
}
