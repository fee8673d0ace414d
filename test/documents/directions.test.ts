import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { create } from 'fontkit';
import { runsOf } from '../../server/documents/directions.ts';
import { missingLetters, REGULAR } from '../../server/documents/letters.ts';

const texts = (line: string) => runsOf(line).map(({ text }) => text);

test('a line from the right is split in visual order', () => {
  // The house number and a Latin city are to the left of the street; the text between them is reversed.
  assert.deepEqual(texts('רחוב הרצל 5, Tel Aviv'), ['Tel Aviv', ' ,', '5', 'רחוב הרצל ']);
  assert.deepEqual(texts('Beispiel עולם GmbH'), ['Beispiel ', 'עולם', ' GmbH']);
  assert.deepEqual(texts('Beispiel GmbH'), ['Beispiel GmbH']);
});

test('brackets open towards their contents', () => {
  // The run is drawn from its end, so the bracket that is read first has to be the mirrored one.
  assert.deepEqual(texts('שלום (בעמ)'), ['שלום )בעמ(']);
});

test('letters that the font lacks are named once each', () => {
  assert.deepEqual(missingLetters('Żółć Ελλάδα Ёлка שלום شركة'), []);
  assert.deepEqual(missingLetters('漢字漢 Ltd.'), ['漢', '字']);
});

test('the font has forms of Arabic letters that join, and its shaping chooses them', () => {
  const font = create(readFileSync(REGULAR)) as unknown as {
    layout(text: string): { glyphs: { id: number }[] };
  };
  const glyphs = (text: string) => font.layout(text).glyphs.map(({ id }) => id);
  const [text] = texts('بيت');
  // From left to right: the final, the middle and the initial form, none of which equals the isolated letter.
  const alone = [...'تيب'].map((letter) => glyphs(letter)[0]);
  const joined = glyphs(text!);
  assert.equal(joined.length, 3);
  for (const [index, glyph] of joined.entries()) assert.notEqual(glyph, alone[index]);
});
