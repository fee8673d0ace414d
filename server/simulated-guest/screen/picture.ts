import type { Terminal } from '@xterm/headless';
import { coloursOf } from './colours.ts';
import { CELL_HEIGHT, CELL_WIDTH, glyphOf } from './font.ts';

/** A text console of the usual size: 640 by 400 pixels. */
export const COLUMNS = 80;
export const ROWS = 25;
export const WIDTH = COLUMNS * CELL_WIDTH;
export const HEIGHT = ROWS * CELL_HEIGHT;

/** Three numbers a cell: character, foreground, background. */
const PARTS = 3;

/** Pixels. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a screen shows at one moment, cell by cell. */
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
        this.#cells.set([cell.getCode(), ...colours], (row * COLUMNS + column) * PARTS);
      }
    }
  }

  /** Where this differs from `before`: for each line, from the first cell to the last one that does. */
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

  /** The colours of a rectangle's pixels, 0xRRGGBB, line by line. */
  pixels({ x, y, width, height }: Rectangle): Uint32Array {
    const pixels = new Uint32Array(width * height);
    for (let line = 0; line < height; line++) {
      const row = Math.floor((y + line) / CELL_HEIGHT);
      for (let at = 0; at < width; at++) {
        const cell = (row * COLUMNS + Math.floor((x + at) / CELL_WIDTH)) * PARTS;
        const bits = glyphOf(this.#cells[cell]!)[(y + line) % CELL_HEIGHT]!;
        const lit = (bits >> (CELL_WIDTH - 1 - ((x + at) % CELL_WIDTH))) & 1;
        pixels[line * width + at] = this.#cells[cell + (lit ? 1 : 2)]!;
      }
    }
    return pixels;
  }
}
