import type { Rectangle } from '../rfb/screen.ts';
import { BITMAP_32, BITMAP_PALETTE_CACHED, BITMAP_RGBA, BITMAP_TOP_DOWN, IMAGE_BITMAP } from './protocol.ts';

const COLOUR = 0xffffff;
/**
 * The bytes of an image before its content (its number, kind, flags and size), and those of a bitmap before its
 * pixels.
 */
const IMAGE_HEAD = 18;
const BITMAP_HEAD = 18;

/** A picture in a message, four bytes per pixel. */
export class Bitmap {
  readonly width: number;
  readonly height: number;
  readonly #isTopDown: boolean;
  readonly #stride: number;
  readonly #data: Buffer;

  /** Reads the image that begins at `at`. Throws for one that is compressed, cached or cut short. */
  constructor(message: Buffer, at: number) {
    const kind = message.readUInt8(at + 8);
    if (kind !== IMAGE_BITMAP) throw new Error(`an unsupported image type, ${kind}`);
    const head = at + IMAGE_HEAD;
    const format = message.readUInt8(head);
    const flags = message.readUInt8(head + 1);
    if ((format !== BITMAP_32 && format !== BITMAP_RGBA) || flags & BITMAP_PALETTE_CACHED)
      throw new Error(`an unsupported bitmap format, ${format}`);
    this.width = message.readUInt32LE(head + 2);
    this.height = message.readUInt32LE(head + 6);
    this.#stride = message.readUInt32LE(head + 10);
    this.#isTopDown = (flags & BITMAP_TOP_DOWN) !== 0;
    const from = head + BITMAP_HEAD;
    if (this.#stride < this.width * 4 || from + this.#stride * this.height > message.length)
      throw new Error('a truncated bitmap');
    this.#data = message.subarray(from, from + this.#stride * this.height);
  }

  /**
   * Returns a function for the pixels of each line of an area; the result is valid until the next call. Throws if the
   * area is not within the bitmap.
   */
  lines(area: Rectangle): (at: number) => Uint32Array {
    if (area.x < 0 || area.y < 0 || area.x + area.width > this.width || area.y + area.height > this.height)
      throw new Error('a part outside its image');
    // Copied as bytes, because pixels in a message need not be aligned to words.
    const line = new Uint32Array(area.width);
    const bytes = new Uint8Array(line.buffer);
    return (at) => {
      const row = area.y + at;
      const from = (this.#isTopDown ? row : this.height - 1 - row) * this.#stride + area.x * 4;
      bytes.set(this.#data.subarray(from, from + bytes.length));
      for (let each = 0; each < line.length; each++) line[each]! &= COLOUR;
      return line;
    };
  }
}
