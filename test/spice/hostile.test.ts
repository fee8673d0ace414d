import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { Channel } from '../../server/screens/spice/channel.ts';
import { paint } from '../../server/screens/spice/drawing.ts';
import { Framebuffer } from '../../server/screens/spice/framebuffer.ts';
import { CHANNEL, DISPLAY } from '../../server/screens/spice/protocol.ts';

const words = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer);
const surface = (width: number, height: number, format = 32, id = 0) => ({
  type: DISPLAY.surfaceCreate,
  body: words(id, width, height, format, 1),
});
/** Returns a box on the screen without a clip. */
const box = (top: number, left: number, bottom: number, right: number) =>
  Buffer.concat([words(0, top, left, bottom, right), Buffer.of(0)]);

/** Copies a bitmap with one colour per line to a place of its size. */
function copy({ x = 0, y = 0, flags = 4, stride = 16, lines = 3, rop = 8 } = {}) {
  const [width, height] = [4, 3];
  const place = box(y, x, y + height, x + width);
  const at = place.length + 36;
  const what = Buffer.concat([
    words(at, 0, 0, height, width),
    Buffer.of(rop, 0, 0),
    Buffer.of(0),
    words(0, 0, 0),
  ]);
  const image = Buffer.concat([words(1, 0), Buffer.of(0, 0), words(width, height)]);
  const bitmap = Buffer.concat([Buffer.of(8, flags), words(width, height, stride, 0)]);
  const pixels = Array.from({ length: lines }, (_, line) => words(...Array(width).fill(0xff000001 + line)));
  return { type: DISPLAY.copy, body: Buffer.concat([place, what, image, bitmap, ...pixels]) };
}

function painted(...messages: { type: number; body: Buffer }[]): Framebuffer {
  const picture = new Framebuffer();
  paint(picture, surface(10, 8));
  for (const message of messages) paint(picture, message);
  return picture;
}

const column = (picture: Framebuffer, x: number) => [...picture.pixels({ x, y: 0, width: 1, height: 8 })];

test('bitmaps are painted from either end, and within their clip', () => {
  assert.deepEqual(column(painted(copy({ y: 2 })), 1), [0, 0, 1, 2, 3, 0, 0, 0]);
  assert.deepEqual(column(painted(copy({ y: 2, flags: 0 })), 1), [0, 0, 3, 2, 1, 0, 0, 0]);
  assert.deepEqual(column(painted(copy({ y: 2 })), 4), Array(8).fill(0));
  const { type, body } = copy({ y: 2 });
  // A clip of only the bitmap's second line, and of an area elsewhere. The clip shifts the image's offset.
  const clip = Buffer.concat([Buffer.of(1), words(2, 3, 0, 4, 4, 6, 6, 8, 8)]);
  const clipped = Buffer.concat([body.subarray(0, 20), clip, body.subarray(21)]);
  clipped.writeUInt32LE(body.readUInt32LE(21) + clip.length - 1, 20 + clip.length);
  assert.deepEqual(column(painted({ type, body: clipped }), 1), [0, 0, 0, 2, 0, 0, 0, 0]);
});

test('filled and moved areas are in the right place', () => {
  const fill = {
    type: DISPLAY.fill,
    body: Buffer.concat([box(1, 0, 3, 10), Buffer.of(1), words(7), Buffer.of(8, 0, 0), words(0, 0, 0)]),
  };
  const move = { type: DISPLAY.copyBits, body: Buffer.concat([box(2, 0, 6, 10), words(0, 1)]) };
  assert.deepEqual(column(painted(fill), 9), [0, 7, 7, 0, 0, 0, 0, 0]);
  assert.deepEqual(column(painted(fill, move), 9), [0, 7, 7, 7, 0, 0, 0, 0]);
});

test('a viewer receives each change once, and large ones in parts', () => {
  const picture = painted();
  const look = picture.look(() => {});
  assert.equal(look.frame(false)!.areas.length, 1);
  assert.equal(look.frame(false), undefined);
  paint(picture, surface(2560, 1600));
  let pixels = 0;
  let updates = 0;
  for (let frame = look.frame(false); frame; frame = look.frame(false)) {
    for (const { width, height } of frame.areas) pixels += width * height;
    updates++;
  }
  assert.deepEqual([pixels, updates], [2560 * 1600, 8]);
  picture.fill({ x: 40, y: 70, width: 30, height: 1 }, 5);
  assert.deepEqual(look.frame(false)!.areas, [{ x: 32, y: 64, width: 64, height: 32 }]);
});

test('an unsupported picture is refused, and so is one with a false size', () => {
  const refused: [string, { type: number; body: Buffer }][] = [
    ['a large screen', surface(2561, 1600)],
    ['a screen of no size', surface(0, 10)],
    ['a screen of two colours', surface(10, 10, 1)],
    ['another surface', surface(10, 10, 32, 1)],
    ['a drawing that is not known', { type: 311, body: box(0, 0, 1, 1) }],
    ['a stream', { type: 122, body: Buffer.alloc(100) }],
    ['a copy beyond the right edge', copy({ x: 7 })],
    ['a copy beyond the upper edge', copy({ y: -1 })],
    ['a copy that is cut short', copy({ lines: 2 })],
    ['lines shorter than they are', copy({ stride: 12 })],
    ['lines that overflow', copy({ stride: -4 })],
    ['another operation', copy({ rop: 64 })],
    ['a message that ends too soon', { type: DISPLAY.copy, body: box(0, 0, 1, 1) }],
    [
      'clips beyond the message',
      { type: DISPLAY.copy, body: Buffer.concat([box(0, 0, 1, 1).subarray(0, 20), Buffer.of(1), words(-1)]) },
    ],
    [
      'a move from outside the screen',
      { type: DISPLAY.copyBits, body: Buffer.concat([box(0, 0, 4, 4), words(7, 0)]) },
    ],
  ];
  for (const [what, message] of refused) assert.throws(() => painted(message), Error, what);
});

test('a message that is too long ends the channel before it has come', async () => {
  const [ours, theirs] = duplexPair();
  theirs.resume();
  const opening = Channel.open(ours, { type: CHANNEL.display, session: 1, maxMessage: 100 });
  theirs.write(Buffer.concat([Buffer.from('REDQ'), words(2, 2, 100_000)]));
  await assert.rejects(opening, /a link reply of 100000 bytes/);
  const [one, other] = duplexPair();
  other.resume();
  const refused = Channel.open(one, { type: CHANNEL.main, session: 0, maxMessage: 100 });
  other.write(Buffer.from('HTTP/1.1 400 Bad Request'));
  await assert.rejects(refused, /not a SPICE server/);
});
