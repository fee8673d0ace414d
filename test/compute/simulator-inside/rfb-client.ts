import type { Duplex } from 'node:stream';
import { ByteReader } from '../../../server/screens/rfb/reader.ts';
import { CELL_HEIGHT, CELL_WIDTH } from '../../../server/screens/text-console/cell.ts';
import { glyphOf } from '../../../server/screens/text-console/font.ts';

const KEYSYMS: Record<string, number> = { '\r': 0xff0d, '\x7f': 0xff08 };
const CONTROL = 0xffe3;
const DESKTOP_SIZE = -223;

/** Every printable character by the pixels of its cell. */
const CHARACTERS = new Map<string, string>();
for (let code = 0x7e; code >= 0x20; code--) CHARACTERS.set(glyphOf(code).join(), String.fromCharCode(code));

/** A VNC client that keeps the picture and reads text from its pixels. */
export class Viewer {
  readonly #stream: Duplex;
  readonly #reader: ByteReader;
  readonly #encodings: number[];
  width = 0;
  height = 0;
  name = '';
  pixels = new Uint32Array();
  /** Counts of the received updates and bytes, and the encodings used. */
  readonly seen = { updates: 0, bytes: 0, encodings: new Set<number>() };

  constructor(stream: Duplex, encodings: number[] = [0]) {
    this.#stream = stream;
    this.#reader = new ByteReader(stream);
    this.#encodings = encodings;
    stream.on('error', () => {});
  }

  /** Performs the handshake and returns the server's protocol version. */
  async open(): Promise<string> {
    const version = (await this.#reader.take(12)).toString();
    this.#stream.write('RFB 003.008\n');
    const [count] = await this.#reader.take(1);
    const types = [...(await this.#reader.take(count!))];
    this.#stream.write(Buffer.of(types[0]!));
    if ((await this.#reader.take(4)).readUInt32BE() !== 0) throw new Error('refused');
    this.#stream.write(Buffer.of(1));
    const init = await this.#reader.take(24);
    this.width = init.readUInt16BE(0);
    this.height = init.readUInt16BE(2);
    this.name = (await this.#reader.take(init.readUInt32BE(20))).toString();
    this.#resize(this.width, this.height);
    const list = Buffer.alloc(4 + this.#encodings.length * 4);
    list[0] = 2;
    list.writeUInt16BE(this.#encodings.length, 2);
    for (const [at, encoding] of this.#encodings.entries()) list.writeInt32BE(encoding, 4 + at * 4);
    this.#stream.write(list);
    return version;
  }

  #resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.pixels = new Uint32Array(width * height);
  }

  ask(incremental: boolean): void {
    const request = Buffer.alloc(10);
    request.set([3, Number(incremental)]);
    request.writeUInt16BE(this.width, 6);
    request.writeUInt16BE(this.height, 8);
    this.#stream.write(request);
  }

  /** Requests pixels of one byte: three bits red, three green, two blue. */
  wantSmallPixels(): void {
    const message = Buffer.alloc(20);
    message.set([8, 8, 0, 1, 0, 7, 0, 7, 0, 3, 5, 2, 0], 4);
    this.#stream.write(message);
    this.#bytesPerPixel = 1;
  }

  #bytesPerPixel = 4;

  async update(): Promise<void> {
    const head = await this.#take(4);
    if (head[0] !== 0) throw new Error(`message ${head[0]}`);
    for (let left = head.readUInt16BE(2); left > 0; left--) {
      const area = await this.#take(12);
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => area.readUInt16BE(at)) as [
        number,
        number,
        number,
        number,
      ];
      const encoding = area.readInt32BE(8);
      this.seen.encodings.add(encoding);
      if (encoding === DESKTOP_SIZE) this.#resize(width, height);
      else if (encoding === 0) await this.#raw(x, y, width, height);
      else await this.#hextile(x, y, width, height);
    }
    this.seen.updates++;
  }

  async #take(length: number): Promise<Buffer> {
    this.seen.bytes += length;
    return this.#reader.take(length);
  }

  async #pixel(): Promise<number> {
    return (await this.#take(this.#bytesPerPixel)).readUIntLE(0, this.#bytesPerPixel);
  }

  #fill(x: number, y: number, width: number, height: number, colour: number): void {
    for (let line = y; line < y + height; line++) {
      this.pixels.fill(colour, line * this.width + x, line * this.width + x + width);
    }
  }

  async #raw(x: number, y: number, width: number, height: number): Promise<void> {
    const bytes = await this.#take(width * height * this.#bytesPerPixel);
    for (let at = 0; at < width * height; at++) {
      const colour = bytes.readUIntLE(at * this.#bytesPerPixel, this.#bytesPerPixel);
      this.pixels[(y + Math.floor(at / width)) * this.width + x + (at % width)] = colour;
    }
  }

  async #hextile(x0: number, y0: number, areaWidth: number, areaHeight: number): Promise<void> {
    let ground = 0;
    let ink = 0;
    for (let y = y0; y < y0 + areaHeight; y += 16) {
      for (let x = x0; x < x0 + areaWidth; x += 16) {
        const width = Math.min(16, x0 + areaWidth - x);
        const height = Math.min(16, y0 + areaHeight - y);
        const parts = (await this.#take(1))[0]!;
        if (parts & 1) {
          await this.#raw(x, y, width, height);
          continue;
        }
        if (parts & 2) ground = await this.#pixel();
        if (parts & 4) ink = await this.#pixel();
        this.#fill(x, y, width, height, ground);
        if (!(parts & 8)) continue;
        const [count] = await this.#take(1);
        for (let left = count!; left > 0; left--) {
          const colour = parts & 16 ? await this.#pixel() : ink;
          const [place, size] = (await this.#take(2)) as unknown as [number, number];
          this.#fill(x + (place >> 4), y + (place & 15), (size >> 4) + 1, (size & 15) + 1, colour);
        }
      }
    }
  }

  /** Reads the lines of the screen from its pixels. Black, or the darkest corner of a cell, is background. */
  text(): string {
    const lines: string[] = [];
    for (let top = 0; top + CELL_HEIGHT <= this.height; top += CELL_HEIGHT) {
      let line = '';
      for (let left = 0; left + CELL_WIDTH <= this.width; left += CELL_WIDTH)
        line += this.#character(left, top);
      lines.push(line.trimEnd());
    }
    return lines.join('\n').trimEnd();
  }

  #character(left: number, top: number): string {
    // No glyph reaches the left edge of its cell.
    const ground = this.pixels[top * this.width + left];
    const rows: number[] = [];
    for (let y = 0; y < CELL_HEIGHT; y++) {
      let bits = 0;
      for (let x = 0; x < CELL_WIDTH; x++) {
        const lit = this.pixels[(top + y) * this.width + left + x] !== ground;
        bits = (bits << 1) | Number(lit);
      }
      rows.push(bits);
    }
    return CHARACTERS.get(rows.join()) ?? '?';
  }

  #key(keysym: number, down: boolean): void {
    const event = Buffer.alloc(8);
    event.set([4, Number(down)]);
    event.writeUInt32BE(keysym, 4);
    this.#stream.write(event);
  }

  /** Presses a key without releasing it. */
  hold(keysym: number): void {
    this.#key(keysym, true);
  }

  key(keysym: number): void {
    this.#key(keysym, true);
    this.#key(keysym, false);
  }

  point(x: number, y: number, buttons: number): void {
    const event = Buffer.alloc(6);
    event.set([5, buttons]);
    event.writeUInt16BE(x, 2);
    event.writeUInt16BE(y, 4);
    this.#stream.write(event);
  }

  type(text: string): void {
    for (const character of text) this.key(KEYSYMS[character] ?? character.charCodeAt(0));
  }

  control(letter: string): void {
    this.#key(CONTROL, true);
    this.type(letter);
    this.#key(CONTROL, false);
  }

  async shows(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text())) {
      this.ask(true);
      await this.update();
    }
    return this.text();
  }

  close(): void {
    this.#stream.destroy();
  }
}
