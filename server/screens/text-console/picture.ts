import type { Terminal } from '@xterm/headless';
import type { Rectangle } from '../rfb/screen.ts';
import { CELL_HEIGHT, CELL_WIDTH } from './cell.ts';
import { coloursOf } from './colours.ts';
import { glyphOf } from './font.ts';

/** A text console of the usual size: 640 by 400 pixels. */
export const COLUMNS = 80;
export const ROWS = 25;
export const WIDTH = COLUMNS * CELL_WIDTH;
export const HEIGHT = ROWS * CELL_HEIGHT;

/** Numbers per cell: character, foreground, background. */
const PARTS = 3;

/** The bit of the first pixel in a glyph's row. */
const LEFTMOST = 1 << (CELL_WIDTH - 1);

/** The content of a screen at one moment, cell by cell. */
export class Picture {
  readonly #cells = new Uint32Array(COLUMNS * ROWS * PARTS);

  constructor(terminal: Terminal) {
    const { active } = terminal.buffer;
    const cell = active.getNullCell();
    for (let row = 0; row < ROWS; row++) {
      const line = active.getLine(active.baseY + row);
      for (let column = 0; column < COLUMNS; column++) {
        line?.getCell(column, cell);
        const { foreground, background } = coloursOf(cell);
        const atCursor = row === active.cursorY && column === Math.min(active.cursorX, COLUMNS - 1);
        const colours = atCursor ? [0x000000, 0xaaaaaa] : [foreground, background];
        // Only the letter: with its accents, it may consist of several characters.
        const code = cell.getChars().codePointAt(0) ?? 0;
        this.#cells.set([code, ...colours], (row * COLUMNS + column) * PARTS);
      }
    }
  }

  /** Returns the differences from `before`: for each line, the range from the first to the last changed cell. */
  changesSince(before: Picture): Rectangle[] {
    const changes: Rectangle[] = [];
    for (let row = 0; row < ROWS; row++) {
      let first = -1;
      let last = -1;
      for (let column = 0; column < COLUMNS; column++) {
        if (!this.#differs(before, row * COLUMNS + column)) continue;
        if (first < 0) first = column;
        last = column;
      }
      if (first < 0) continue;
      changes.push({
        x: first * CELL_WIDTH,
        y: row * CELL_HEIGHT,
        width: (last - first + 1) * CELL_WIDTH,
        height: CELL_HEIGHT,
      });
    }
    return changes;
  }

  #differs(before: Picture, cell: number): boolean {
    const at = cell * PARTS;
    for (let part = 0; part < PARTS; part++) {
      if (this.#cells[at + part] !== before.#cells[at + part]) return true;
    }
    return false;
  }

  /** Returns the colours of a rectangle's pixels, 0xRRGGBB, line by line. */
  pixels({ x, y, width, height }: Rectangle): Uint32Array {
    const pixels = new Uint32Array(width * height);
    let to = 0;
    for (let line = y; line < y + height; line++) {
      const row = Math.floor(line / CELL_HEIGHT) * COLUMNS;
      for (let at = x; at < x + width; ) {
        const cell = (row + Math.floor(at / CELL_WIDTH)) * PARTS;
        const bits = glyphOf(this.#cells[cell]!)[line % CELL_HEIGHT]!;
        const [ink, ground] = [this.#cells[cell + 1]!, this.#cells[cell + 2]!];
        const end = Math.min(x + width, at - (at % CELL_WIDTH) + CELL_WIDTH);
        for (; at < end; at++) pixels[to++] = (bits << (at % CELL_WIDTH)) & LEFTMOST ? ink : ground;
      }
    }
    return pixels;
  }
}
