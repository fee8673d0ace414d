import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedTerminal } from '../../server/screens/text-console/bounded-terminal.ts';
import { CELL_HEIGHT, CELL_WIDTH } from '../../server/screens/text-console/cell.ts';
import { glyphOf } from '../../server/screens/text-console/font.ts';
import { COLUMNS, Picture, ROWS } from '../../server/screens/text-console/picture.ts';

/** Returns the picture of a terminal to which `text` was written. */
async function pictureOf(text: string): Promise<Picture> {
  const terminal = new BoundedTerminal({ cols: COLUMNS, rows: ROWS, scrollback: 0 });
  await new Promise<void>((resolve) => terminal.write(Buffer.from(text), resolve));
  const picture = new Picture(terminal.terminal);
  terminal.close();
  return picture;
}

/** Returns the pixels of the cell at a column of the first line. */
const cell = (picture: Picture, column: number) =>
  picture.pixels({ x: column * CELL_WIDTH, y: 0, width: CELL_WIDTH, height: CELL_HEIGHT });

/** Returns the cell's colours, the most frequent first. */
const colours = (picture: Picture, column: number) => {
  const counts = Map.groupBy(cell(picture, column), (colour) => colour);
  return [...counts].sort(([, a], [, b]) => b.length - a.length).map(([colour]) => colour);
};

test('a cell has the colours that it was written in', async () => {
  const styles: [string, number, number][] = [
    ['', 0xaaaaaa, 0x000000],
    ['1', 0xffffff, 0x000000],
    ['31', 0xaa0000, 0x000000],
    ['1;31', 0xff5555, 0x000000],
    ['94;42', 0x5555ff, 0x00aa00],
    ['38;5;208', 0xff8700, 0x000000],
    ['38;5;244;48;5;232', 0x808080, 0x080808],
    ['38;2;1;2;3;48;2;200;100;50', 0x010203, 0xc86432],
    ['7', 0x000000, 0xaaaaaa],
  ];
  const picture = await pictureOf(styles.map(([style]) => `\x1b[${style}mx\x1b[m`).join(''));
  for (const [column, [style, ink, ground]] of styles.entries())
    assert.deepEqual(colours(picture, column), [ground, ink], style);
  assert.deepEqual(colours(await pictureOf('\x1b[8mx'), 0), [0x000000], 'what is hidden is');
});

test('lines meet at the edges of their cells', () => {
  const rows = (character: string) => [...glyphOf(character.codePointAt(0)!)];
  const [right, down] = [0x01, 0x10];
  assert.ok(
    rows('─').some((row) => row === 0xff),
    'from edge to edge',
  );
  assert.ok(rows('│').every((row) => row === down));
  const corner = rows('┌');
  assert.ok(corner.some((row) => row & right) && (corner.at(-1)! & down) !== 0 && corner[0] === 0);
  assert.equal(rows('═').filter((row) => row === 0xff).length, 2);
  assert.ok(rows('█').every((row) => row === 0xff));
  for (let code = 0x2500; code <= 0x257f; code++) {
    const character = String.fromCodePoint(code);
    if ('╱╲╳╼╽╾╿'.includes(character) || /[┞┟┡┢┦┧┩┪┭┮┱┲┵┶┹┺┽┾╀╁╃╄╅╆╇╈╉╊]/.test(character)) continue;
    assert.notDeepEqual(rows(character), rows('?'), character);
  }
});

test('a letter whose accent the font lacks is drawn without it, and a missing letter is visible', async () => {
  assert.deepEqual(glyphOf('é'.codePointAt(0)!), glyphOf('e'.codePointAt(0)!));
  assert.deepEqual(glyphOf('日'.codePointAt(0)!), glyphOf('?'.codePointAt(0)!));
  const [composed, joined] = [await pictureOf('é'), await pictureOf('e\u0301')];
  assert.deepEqual(cell(composed, 0), cell(joined, 0));
});
