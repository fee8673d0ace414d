/** A client's pixel format, as RFB describes it. */
export interface PixelFormat {
  bitsPerPixel: number;
  bigEndian: boolean;
  max: [red: number, green: number, blue: number];
  shift: [red: number, green: number, blue: number];
}

/** The server's format: four bytes per pixel, blue first. */
export const OFFERED: PixelFormat = {
  bitsPerPixel: 32,
  bigEndian: false,
  max: [255, 255, 255],
  shift: [16, 8, 0],
};

/** Encodes a format as the protocol's sixteen bytes. */
export function encodeFormat({ bitsPerPixel, bigEndian, max, shift }: PixelFormat): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.set([bitsPerPixel, 24, Number(bigEndian), 1]);
  for (const [at, value] of max.entries()) bytes.writeUInt16BE(value, 4 + at * 2);
  bytes.set(shift, 10);
  return bytes;
}

/** Decodes the protocol's sixteen bytes; undefined for a format that the server cannot paint, such as a palette. */
export function decodeFormat(bytes: Buffer): PixelFormat | undefined {
  const [bitsPerPixel, , bigEndian, trueColour] = bytes;
  const shift = [bytes[10]!, bytes[11]!, bytes[12]!] as PixelFormat['shift'];
  if (![8, 16, 32].includes(bitsPerPixel!) || !trueColour || shift.some((each) => each > 31))
    return undefined;
  const max = [bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt16BE(8)] as PixelFormat['max'];
  return { bitsPerPixel: bitsPerPixel!, bigEndian: bigEndian !== 0, max, shift };
}

/** Writes colours in a client's format. Caches each colour, because most pictures have few. */
export class PixelWriter {
  readonly bytes: number;
  readonly #format: PixelFormat;
  readonly #isOffered: boolean;
  readonly #known = new Map<number, Buffer>();

  constructor(format: PixelFormat) {
    this.#format = format;
    this.bytes = format.bitsPerPixel / 8;
    this.#isOffered = encodeFormat(format).equals(encodeFormat(OFFERED));
  }

  /** Returns the bytes of a sequence of 0xRRGGBB colours. */
  encodeAll(colours: Uint32Array): Buffer {
    // The offered format is the one in memory on Node's processors, so a picture with a million pixels need not be
    // converted.
    if (this.#isOffered) return Buffer.from(colours.buffer, colours.byteOffset, colours.byteLength);
    const bytes = Buffer.allocUnsafe(colours.length * this.bytes);
    for (const [at, colour] of colours.entries()) bytes.set(this.encode(colour), at * this.bytes);
    return bytes;
  }

  /** Returns the bytes of a 0xRRGGBB colour. */
  encode(colour: number): Buffer {
    const known = this.#known.get(colour);
    if (known) return known;
    // A guest may show sixteen million colours; the cache stays small.
    if (this.#known.size > 1024) this.#known.clear();
    const { max, shift, bigEndian } = this.#format;
    let value = 0;
    for (const [at, from] of [16, 8, 0].entries()) {
      value += Math.round((((colour >> from) & 255) * max[at]!) / 255) * 2 ** shift[at]!;
    }
    const bytes = Buffer.alloc(this.bytes);
    const fitting = value % 2 ** this.#format.bitsPerPixel;
    if (bigEndian) bytes.writeUIntBE(fitting, 0, this.bytes);
    else bytes.writeUIntLE(fitting, 0, this.bytes);
    this.#known.set(colour, bytes);
    return bytes;
  }
}
