import { checkBytes } from './reed-solomon.ts';

/**
 * Error correction bytes per block, and blocks, of versions 1 to 15 at level M, which recovers about 15 % of the code.
 */
const CHECK_BYTES = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
/** The number of level M in the format bits. */
const LEVEL_BITS = 0;

/** Rows of modules; true is dark. */
export type Modules = boolean[][];

/** Encodes a text as bytes in the smallest version that holds it. Throws if it is longer than 412 bytes. */
export function qrCode(text: string): Modules {
  const bytes = [...new TextEncoder().encode(text)];
  const version = BLOCKS.findIndex((_, index) => bytes.length <= capacity(index + 1)) + 1;
  if (version === 0) throw new Error('too much for a QR code');
  const drawing = new Drawing(version);
  drawing.drawFunctionPatterns();
  drawing.drawData(interleaved(bytes, version));
  return drawing.masked();
}

/** Returns the number of modules that carry data and error correction. */
function rawModules(version: number): number {
  let count = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const patterns = Math.floor(version / 7) + 2;
    count -= (25 * patterns - 10) * patterns - 55;
    if (version >= 7) count -= 36;
  }
  return count;
}

function dataBytes(version: number): number {
  return Math.floor(rawModules(version) / 8) - CHECK_BYTES[version - 1]! * BLOCKS[version - 1]!;
}

/** The width of the length field, in bits. */
const lengthBits = (version: number) => (version < 10 ? 8 : 16);

/** The bytes of text that fit into a version. */
function capacity(version: number): number {
  return Math.floor((dataBytes(version) * 8 - 4 - lengthBits(version)) / 8);
}

/** Returns all bytes in drawing order: the padded data in blocks with their error correction bytes, interleaved. */
function interleaved(text: number[], version: number): number[] {
  const bits = [
    ...toBits(0b0100, 4),
    ...toBits(text.length, lengthBits(version)),
    ...text.flatMap((b) => toBits(b, 8)),
  ];
  const room = dataBytes(version) * 8;
  bits.push(...Array<number>(Math.min(4, room - bits.length)).fill(0));
  bits.push(...Array<number>((8 - (bits.length % 8)) % 8).fill(0));
  for (let filler = 0xec; bits.length < room; filler ^= 0xec ^ 0x11) bits.push(...toBits(filler, 8));
  const bytes = Array.from({ length: room / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
  const count = BLOCKS[version - 1]!;
  const degree = CHECK_BYTES[version - 1]!;
  const short = Math.floor(bytes.length / count);
  const longFrom = count - (bytes.length % count);
  let at = 0;
  const blocks = Array.from({ length: count }, (_, index) => {
    const data = bytes.slice(at, at + short + (index >= longFrom ? 1 : 0));
    at += data.length;
    return { data, check: checkBytes(data, degree) };
  });
  const column = (parts: number[][]) =>
    Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, index) =>
      parts.flatMap((part) => (index < part.length ? [part[index]!] : [])),
    ).flat();
  return [...column(blocks.map(({ data }) => data)), ...column(blocks.map(({ check }) => check))];
}

const toBits = (value: number, count: number) =>
  Array.from({ length: count }, (_, index) => (value >>> (count - 1 - index)) & 1);

/** The eight masks. Each inverts some modules, to break up large plain areas. */
const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Drawing {
  readonly #version: number;
  readonly #size: number;
  readonly #modules: Modules;
  /** Modules of the fixed patterns: they carry no data and are not masked. */
  readonly #isFixed: Modules;

  constructor(version: number) {
    this.#version = version;
    this.#size = version * 4 + 17;
    const empty = () => Array.from({ length: this.#size }, () => Array<boolean>(this.#size).fill(false));
    this.#modules = empty();
    this.#isFixed = empty();
  }

  drawFunctionPatterns(): void {
    const last = this.#size - 1;
    for (let index = 0; index < this.#size; index++) {
      this.#fix(6, index, index % 2 === 0);
      this.#fix(index, 6, index % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [last - 3, 3],
      [3, last - 3],
    ] as const)
      this.#drawFinder(x, y);
    const places = this.#alignmentPlaces();
    for (const x of places) {
      for (const y of places) {
        const isFinder = (x === 6 && y === 6) || (x === 6 && y === last - 6) || (x === last - 6 && y === 6);
        if (!isFinder) this.#drawAlignment(x, y);
      }
    }
    this.#drawFormat(0);
    this.#drawVersion();
  }

  /** Fills columns of two from the right, alternately upwards and downwards. */
  drawData(bytes: readonly number[]): void {
    let at = 0;
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const isUpward = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.#size; step++) {
        const y = isUpward ? this.#size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.#isFixed[y]![x] || at >= bytes.length * 8) continue;
          this.#modules[y]![x] = ((bytes[at >>> 3]! >>> (7 - (at & 7))) & 1) === 1;
          at++;
        }
      }
    }
  }

  /** Applies the mask with the lowest penalty. */
  masked(): Modules {
    const choices = MASKS.map((mask, index) => {
      this.#drawFormat(index);
      return this.#modules.map((row, y) =>
        row.map((dark, x) => (!this.#isFixed[y]![x] && mask(x, y)) !== dark),
      );
    });
    const penalties = choices.map(penaltyOf);
    return choices[penalties.indexOf(Math.min(...penalties))]!;
  }

  #fix(x: number, y: number, dark: boolean): void {
    this.#modules[y]![x] = dark;
    this.#isFixed[y]![x] = true;
  }

  #drawFinder(x: number, y: number): void {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy));
        const [px, py] = [x + dx, y + dy];
        const isInside = px >= 0 && px < this.#size && py >= 0 && py < this.#size;
        if (isInside) this.#fix(px, py, distance !== 2 && distance !== 4);
      }
    }
  }

  #drawAlignment(x: number, y: number): void {
    for (let dy = -2; dy <= 2; dy++) {
      for (let dx = -2; dx <= 2; dx++) this.#fix(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  }

  #alignmentPlaces(): number[] {
    if (this.#version === 1) return [];
    const count = Math.floor(this.#version / 7) + 2;
    const step = Math.ceil((this.#version * 4 + 4) / (count * 2 - 2)) * 2;
    return [
      6,
      ...Array.from({ length: count - 1 }, (_, index) => this.#size - 7 - step * (count - 2 - index)),
    ];
  }

  /** Draws level and mask with their check bits, in two places. */
  #drawFormat(mask: number): void {
    const data = (LEVEL_BITS << 3) | mask;
    let rest = data;
    for (let index = 0; index < 10; index++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (index: number) => ((bits >>> index) & 1) === 1;
    for (let index = 0; index <= 5; index++) this.#fix(8, index, bit(index));
    this.#fix(8, 7, bit(6));
    this.#fix(8, 8, bit(7));
    this.#fix(7, 8, bit(8));
    for (let index = 9; index < 15; index++) this.#fix(14 - index, 8, bit(index));
    for (let index = 0; index < 8; index++) this.#fix(this.#size - 1 - index, 8, bit(index));
    for (let index = 8; index < 15; index++) this.#fix(8, this.#size - 15 + index, bit(index));
    this.#fix(8, this.#size - 8, true);
  }

  #drawVersion(): void {
    if (this.#version < 7) return;
    let rest = this.#version;
    for (let index = 0; index < 12; index++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (this.#version << 12) | rest;
    for (let index = 0; index < 18; index++) {
      const [a, b] = [this.#size - 11 + (index % 3), Math.floor(index / 3)];
      const dark = ((bits >>> index) & 1) === 1;
      this.#fix(a, b, dark);
      this.#fix(b, a, dark);
    }
  }
}

/**
 * The penalty of the standard: for long runs, blocks, patterns that look like a finder, and an unbalanced share of dark
 * modules.
 */
function penaltyOf(modules: Modules): number {
  const columns = modules.map((_, x) => modules.map((row) => row[x]!));
  const lines = [...modules, ...columns].map((line) => line.map((dark) => (dark ? '1' : '0')).join(''));
  let penalty = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += [...line.matchAll(/(?=00001011101|10111010000)/g)].length * 40;
  }
  let darkCount = 0;
  modules.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (dark) darkCount++;
      const below = modules[y + 1];
      if (below && x + 1 < row.length && row[x + 1] === dark && below[x] === dark && below[x + 1] === dark)
        penalty += 3;
    });
  });
  const percent = (darkCount * 100) / modules.length ** 2;
  return penalty + Math.floor(Math.abs(percent - 50) / 5) * 10;
}
