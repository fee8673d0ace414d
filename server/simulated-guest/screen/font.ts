import { FONT_5X7 } from './font-5x7.ts';

/** A character's cell on the screen, in pixels. */
export const CELL_WIDTH = 8;
export const CELL_HEIGHT = 16;

/** A glyph's columns as a row of eight bits for each of the cell's lines: twice as high, with room at the sides. */
function rowsOf(columns: Uint8Array): Uint8Array {
  const rows = new Uint8Array(CELL_HEIGHT);
  for (const [column, bits] of columns.entries()) {
    for (let row = 0; row < CELL_HEIGHT; row++) {
      if ((bits >> (row >> 1)) & 1) rows[row]! |= 0x40 >> column;
    }
  }
  return rows;
}

const GLYPHS = new Map(
  Object.entries(FONT_5X7).map(([character, columns]) => [character, rowsOf(Buffer.from(columns, 'hex'))]),
);

const BLANK = new Uint8Array(CELL_HEIGHT);
const UNKNOWN = GLYPHS.get('?')!;

/** The pixels of a character's cell, a row a byte; one that the font lacks looks like a question mark. */
export function glyphOf(code: number): Uint8Array {
  return code <= 0x20 ? BLANK : (GLYPHS.get(String.fromCodePoint(code)) ?? UNKNOWN);
}
