import type { Frame, Rectangle, Size } from '../rfb/screen.ts';

/** The largest supported surface: 16 MB. */
export const MAX_SIZE: Size = { width: 2560, height: 1600 };
/** Size before the guest has shown anything. */
const FIRST_SIZE: Size = { width: 640, height: 480 };
/** Changes are tracked in squares with sides of this many pixels. */
const TILE = 32;
/**
 * Pixels of one update, 2 MB. More waits for the next update, so that each is quick and little is buffered for a slow
 * viewer.
 */
const MAX_UPDATE_PIXELS = 524_288;

/** The picture of a graphical screen, which one session paints and many viewers see. */
export class Framebuffer {
  #size = FIRST_SIZE;
  #isSized = false;
  /** 0xRRGGBB, line by line. */
  #pixels = new Uint32Array(FIRST_SIZE.width * FIRST_SIZE.height);
  readonly #looks = new Set<Damage>();

  get size(): Size {
    return this.#size;
  }

  /** True once the guest has set a size. */
  get isSized(): boolean {
    return this.#isSized;
  }

  /** Resizes the picture and makes it black. Throws if it would be too large. */
  resize(size: Size): void {
    const { width, height } = size;
    if (width < 1 || height < 1 || width > MAX_SIZE.width || height > MAX_SIZE.height)
      throw new Error(`a screen of ${width} by ${height} pixels`);
    if (width === this.#size.width && height === this.#size.height) this.#pixels.fill(0);
    else this.#pixels = new Uint32Array(width * height);
    this.#size = size;
    this.#isSized = true;
    for (const look of this.#looks) look.resize(size);
  }

  /** Returns a new viewer's changes. The caller must end them. */
  look(changed: () => void): Damage {
    const damage: Damage = new Damage(this, changed, () => this.#looks.delete(damage));
    this.#looks.add(damage);
    return damage;
  }

  /**
   * Paints a rectangle, which must be within the picture; `line` returns the pixels of each of its lines, from the
   * top.
   */
  paint(area: Rectangle, line: (at: number) => Uint32Array): void {
    for (let at = 0; at < area.height; at++) this.#pixels.set(line(at), this.#at(area.x, area.y + at));
    this.#changed(area);
  }

  fill(area: Rectangle, colour: number): void {
    for (let y = area.y; y < area.y + area.height; y++) {
      const from = this.#at(area.x, y);
      this.#pixels.fill(colour, from, from + area.width);
    }
    this.#changed(area);
  }

  /** Copies another part of the picture, as it was before, to an area. */
  move(area: Rectangle, { x, y }: { x: number; y: number }): void {
    const before = this.pixels({ ...area, x, y });
    this.paint(area, (at) => before.subarray(at * area.width, (at + 1) * area.width));
  }

  /** Returns a copy of a rectangle's pixels. */
  pixels({ x, y, width, height }: Rectangle): Uint32Array {
    const copy = new Uint32Array(width * height);
    for (let line = 0; line < height; line++) {
      const from = this.#at(x, y + line);
      copy.set(this.#pixels.subarray(from, from + width), line * width);
    }
    return copy;
  }

  /** Notifies the viewers that there may be something new to show: once after painting, not for each rectangle. */
  show(): void {
    for (const look of this.#looks) look.tell();
  }

  #at(x: number, y: number): number {
    return y * this.#size.width + x;
  }

  #changed(area: Rectangle): void {
    for (const look of this.#looks) look.add(area);
  }
}

/** The parts of a picture that one viewer has not been shown. */
export class Damage {
  readonly #picture: Framebuffer;
  readonly #changed: () => void;
  readonly end: () => void;
  #columns = 0;
  /** A mark for each tile that has changed, row by row. */
  #tiles = new Uint8Array();

  constructor(picture: Framebuffer, changed: () => void, end: () => void) {
    this.#picture = picture;
    this.#changed = changed;
    this.end = end;
    this.resize(picture.size);
  }

  resize({ width, height }: Size): void {
    this.#columns = Math.ceil(width / TILE);
    this.#tiles = new Uint8Array(this.#columns * Math.ceil(height / TILE)).fill(1);
  }

  add({ x, y, width, height }: Rectangle): void {
    const first = Math.floor(x / TILE);
    const last = Math.floor((x + width - 1) / TILE);
    for (let row = Math.floor(y / TILE); row <= Math.floor((y + height - 1) / TILE); row++)
      this.#tiles.fill(1, row * this.#columns + first, row * this.#columns + last + 1);
  }

  tell(): void {
    this.#changed();
  }

  /** Returns as many of the changes as fit an update and marks them as shown; undefined if there are none. */
  frame(all: boolean): Frame | undefined {
    if (all) this.#tiles.fill(1);
    const areas: Rectangle[] = [];
    let left = MAX_UPDATE_PIXELS;
    for (let row = 0; row * this.#columns < this.#tiles.length && left > 0; row++) {
      for (const area of this.#take(row)) {
        left -= area.width * area.height;
        const above = areas.at(-1);
        // Merges with the previous rectangle if it is directly below and has the same width.
        if (above && above.x === area.x && above.width === area.width && above.y + above.height === area.y)
          above.height += area.height;
        else areas.push(area);
      }
    }
    if (areas.length === 0) return undefined;
    return { areas, pixels: (area) => this.#picture.pixels(area) };
  }

  /** Returns the changed parts of a row of tiles and clears their marks. */
  #take(row: number): Rectangle[] {
    const { width, height } = this.#picture.size;
    const tiles = this.#tiles.subarray(row * this.#columns, (row + 1) * this.#columns);
    const areas: Rectangle[] = [];
    for (let from = tiles.indexOf(1); from >= 0; from = tiles.indexOf(1, from)) {
      const to = tiles.indexOf(0, from);
      const end = to < 0 ? this.#columns : to;
      tiles.fill(0, from, end);
      const [x, y] = [from * TILE, row * TILE];
      areas.push({
        x,
        y,
        width: Math.min(end * TILE, width) - x,
        height: Math.min(y + TILE, height) - y,
      });
    }
    return areas;
  }
}
