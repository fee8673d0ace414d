import { createRequire } from 'node:module';

/** A character's cell on the screen, in pixels. */
export const CELL_WIDTH = 8;
export const CELL_HEIGHT = 16;

interface ColumnFont {
  /** Five columns a character, the lowest bit on top. */
  fontData: number[];
  lookup: string[];
}

// Required, since the package comes without types.
const { fontData, lookup } = createRequire(import.meta.url)('oled-font-5x7') as ColumnFont;
const COLUMNS = 5;
/** The font lacks it, and every prompt shows it. */
const TILDE = [0x08, 0x04, 0x08, 0x10, 0x08];

/** A glyph's columns as a row of eight bits for each of the cell's lines: twice as high, with room at the sides. */
function rowsOf(columns: number[]): Uint8Array {
  const rows = new Uint8Array(CELL_HEIGHT);
  for (const [column, bits] of columns.entries()) {
    for (let row = 0; row < CELL_HEIGHT; row++) {
      if ((bits >> (row >> 1)) & 1) rows[row]! |= 0x40 >> column;
    }
  }
  return rows;
}

const GLYPHS = new Map(
  lookup.map((character, at) => [character, rowsOf(fontData.slice(at * COLUMNS, (at + 1) * COLUMNS))]),
);
GLYPHS.set('~', rowsOf(TILDE));

const BLANK = new Uint8Array(CELL_HEIGHT);
const UNKNOWN = GLYPHS.get('?')!;

/** The pixels of a character's cell, a row a byte; one that the font lacks looks like a question mark. */
export function glyphOf(code: number): Uint8Array {
  return code <= 0x20 ? BLANK : (GLYPHS.get(String.fromCodePoint(code)) ?? UNKNOWN);
}
