import { DRAWN } from './box-drawing.ts';
import { CELL_HEIGHT } from './cell.ts';
import { FONT_5X7 } from './font-5x7.ts';

/**
 * Converts a glyph's columns to a row of eight bits for each line of the cell: twice as high, with space at the
 * sides.
 */
function rowsOf(columns: Uint8Array): Uint8Array {
  const rows = new Uint8Array(CELL_HEIGHT);
  for (const [column, bits] of columns.entries()) {
    for (let row = 0; row < CELL_HEIGHT; row++) {
      if ((bits >> (row >> 1)) & 1) rows[row]! |= 0x40 >> column;
    }
  }
  return rows;
}

const GLYPHS = new Map([
  ...DRAWN,
  ...Object.entries(FONT_5X7).map(
    ([character, columns]) => [character, rowsOf(Buffer.from(columns, 'hex'))] as const,
  ),
]);

const BLANK = new Uint8Array(CELL_HEIGHT);
const UNKNOWN = GLYPHS.get('?')!;
/** Drawn like a blank. */
const NO_BREAK_SPACE = 0xa0;

/** A cache, because every drawn pixel looks up its glyph; bounded, because a guest may show a million characters. */
const FOUND = new Map<number, Uint8Array>();
const MAX_FOUND = 4096;

/**
 * Returns the pixels of a character's cell, one byte per row. A letter whose accent the font lacks is drawn without
 * it; an unknown character looks like a question mark.
 */
export function glyphOf(code: number): Uint8Array {
  if (code <= 0x20 || code === NO_BREAK_SPACE) return BLANK;
  const known = FOUND.get(code);
  if (known) return known;
  const found = findGlyph(code);
  if (FOUND.size >= MAX_FOUND) FOUND.clear();
  FOUND.set(code, found);
  return found;
}

function findGlyph(code: number): Uint8Array {
  const character = String.fromCodePoint(code);
  const plain = String.fromCodePoint(character.normalize('NFKD').codePointAt(0)!);
  return GLYPHS.get(character) ?? GLYPHS.get(plain) ?? UNKNOWN;
}
