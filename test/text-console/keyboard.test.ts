import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyboard } from '../../server/screens/text-console/keyboard.ts';

const PLAIN = { applicationCursorKeys: false };
const APPLICATION = { applicationCursorKeys: true };
const [SHIFT, CONTROL, ALT] = [0xffe1, 0xffe3, 0xffe9];
const [RETURN, UP, HOME, F1, F5, F11, DELETE, BACKSPACE] = [
  0xff0d, 0xff52, 0xff50, 0xffbe, 0xffc2, 0xffc8, 0xffff, 0xff08,
];

/** Returns the text typed by these keys, which are pressed one after the other and held. */
function held(...keys: number[]): string {
  const keyboard = new Keyboard();
  return keys.map((key) => keyboard.press(key, true, PLAIN)).join('');
}

const code = (character: string) => character.charCodeAt(0);

test('keys send the codes of a terminal', () => {
  const typed: [number[], string][] = [
    [[code('a')], 'a'],
    [[0xe9], 'é'],
    [[0x0100_20ac], '€'],
    [[RETURN], '\r'],
    [[BACKSPACE], '\x7f'],
    [[UP], '\x1b[A'],
    [[HOME], '\x1b[H'],
    [[F1], '\x1bOP'],
    [[F5], '\x1b[15~'],
    [[F11], '\x1b[23~'],
    [[DELETE], '\x1b[3~'],
    [[SHIFT, code('a')], 'A'],
    [[SHIFT, 0xfe20], '\x1b[Z'],
    [[CONTROL, code('c')], '\x03'],
    [[CONTROL, code('[')], '\x1b'],
    [[CONTROL, code(' ')], '\0'],
    [[ALT, code('b')], '\x1bb'],
  ];
  for (const [keys, text] of typed) assert.equal(held(...keys), text, keys.join());
});

test('the keypad types as the keys that it stands for', () => {
  assert.equal(held(0xff8d), '\r');
  assert.equal(held(0xffb0, 0xffb9, 0xffab, 0xffae, 0xffbd), '09+.=');
  assert.equal(held(0xff97, 0xff9c, 0xff9f), '\x1b[A\x1b[F\x1b[3~');
});

test('an application may change the arrow keys, and no others', () => {
  const keyboard = new Keyboard();
  assert.equal(keyboard.press(UP, true, APPLICATION), '\x1bOA');
  assert.equal(keyboard.press(HOME, true, APPLICATION), '\x1bOH');
  assert.equal(keyboard.press(DELETE, true, APPLICATION), '\x1b[3~');
});

test('keys that would restart a machine type nothing', () => {
  assert.equal(held(CONTROL, ALT, DELETE), '');
});

test('a released key types nothing, and ends its repetition', () => {
  const keyboard = new Keyboard();
  keyboard.press(CONTROL, true, PLAIN);
  assert.equal(keyboard.press(CONTROL, false, PLAIN), '');
  assert.equal(keyboard.press(code('c'), true, PLAIN), 'c');
  assert.equal(keyboard.press(code('c'), false, PLAIN), '');
});
