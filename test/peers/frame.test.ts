import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBody } from '../../server/platform/peer/body.ts';
import { exceededBound, MESSAGE_BOUNDS, parseJson } from '../../server/platform/peer/json.ts';
import { readJsonRows } from '../../server/platform/peer/json-rows.ts';
import { readLines } from '../../server/platform/peer/lines.ts';
import { depth } from '../support/depth.ts';

const BOUNDS = {
  maxBytes: 100_000,
  maxRows: 50,
  maxValues: 1_000,
  row: { maxBytes: 2_000, maxDepth: 8, maxValues: 100 },
};

/** Returns a text as bytes in pieces of any lengths. */
function pieces(text: string, lengths: number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const cut: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!;
    cut.push(bytes.subarray(at, at + length));
    at += length;
  }
  return cut;
}

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const value = fc.jsonValue({ maxDepth: 3 });

test('rows equal the result of JSON.parse of the whole text, cut anywhere', async () => {
  const name = fc.constantFrom('metadata', 'other', 'meta"data', '[');
  const object = fc.array(fc.tuple(name, fc.oneof(value, fc.array(value, { maxLength: 6 }))), {
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(object, lengths, fc.constantFrom(0, 1, 2), async (members, cuts, space) => {
      const text = JSON.stringify(Object.fromEntries(members), null, space);
      fc.pre(exceededBound(Buffer.from(text), { ...BOUNDS.row, maxBytes: 2_000 }) === undefined);
      const read = await readJsonRows(pieces(text, cuts), 'metadata', 'a peer', BOUNDS);
      assert.deepEqual(read, JSON.parse(text));
    }),
    { numRuns: depth(200, 5_000) },
  );
});

test('invalid JSON objects in rows are an error of the peer, and no other error', async () => {
  const broken = [
    '',
    '{',
    '[',
    '[]',
    '7',
    'null',
    '"x"',
    '{"metadata":[',
    '{"metadata":[1,',
    '{"metadata":[1,,2]}',
    '{"metadata":[,]}',
    '{"metadata":[1],"x":}',
    '{"metadata":[{]}',
    '{"metadata":[1}]',
    ']',
    '}{',
    '\0',
    '{"metadata":["',
    `{"metadata":[${'['.repeat(50)}${']'.repeat(50)}]}`,
    `{"metadata":[${'1,'.repeat(60)}1]}`,
    `{"metadata":["${'x'.repeat(3_000)}"]}`,
    `{"metadata":[[${'[],'.repeat(200)}1]]}`,
    `{"other":[${'[],'.repeat(200)}1]}`,
    // Each row is within its own bound, but their sum is not.
    `{"metadata":[${`[${'[],'.repeat(45)}1],`.repeat(20)}1]}`,
    `{"other":"${'x'.repeat(3_000)}"}`,
    ' '.repeat(200_000),
  ];
  for (const text of broken) {
    const read = readJsonRows(pieces(text, [64]), 'metadata', 'a peer', BOUNDS);
    await assert.rejects(read, { name: 'PeerError', peer: 'a peer' }, text.slice(0, 40));
  }
  const anything = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[]",:\\ 1metadata"') }));
  await fc.assert(
    fc.asyncProperty(anything, lengths, async (text, cuts) => {
      const read = readJsonRows(pieces(text, cuts), 'metadata', 'a peer', BOUNDS);
      const outcome = await read.then(
        () => 'read',
        ({ name }) => name,
      );
      const isObject = (() => {
        try {
          const parsed = JSON.parse(text);
          return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
        } catch {
          return false;
        }
      })();
      assert.equal(outcome, isObject ? 'read' : 'PeerError');
    }),
    { numRuns: depth(200, 5_000) },
  );
});

test('a body is read while others have their turn', async () => {
  let turns = 0;
  let over = false;
  const tick = () => {
    turns++;
    if (!over) setImmediate(tick);
  };
  const row = JSON.stringify({
    config: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, 'v'])),
  });
  const chunk = Buffer.from(`${row},`.repeat(100));
  async function* body() {
    yield Buffer.from('{"metadata":[');
    for (let i = 0; i < 200; i++) {
      yield chunk;
      await new Promise(setImmediate);
    }
    yield Buffer.from('1]}');
  }
  setImmediate(tick);
  const read = await readJsonRows(body(), 'metadata', 'a peer', {
    maxBytes: 1e8,
    maxRows: 50_000,
    maxValues: 1e7,
  });
  over = true;
  assert.equal((read as { metadata: unknown[] }).metadata.length, 20_001);
  assert.ok(turns >= 200, `${turns} turns`);
});

test('a JSON text is bounded in bytes, depth and values', () => {
  assert.deepEqual(parseJson('{"a":[1,{"b":"]]]]["}]}', 'a peer', { maxDepth: 3, maxValues: 6 }), {
    a: [1, { b: ']]]][' }],
  });
  const cases: [string, RegExp][] = [
    ['['.repeat(33) + ']'.repeat(33), /deeper than 32/],
    [`[${'[],'.repeat(60_000)}1]`, /more than 50000 values/],
    [`"${'x'.repeat(5e6)}"`, /more than 4194304 bytes/],
    ['{"a":1', /not JSON/],
    ['\0', /not JSON/],
  ];
  for (const [text, problem] of cases)
    assert.throws(() => parseJson(text, 'a peer'), { name: 'PeerError', message: problem });
  assert.throws(() => parseJson('{}', 'a peer', { maxBytes: 1 }), /1 bytes/);
  assert.equal(exceededBound(Buffer.from('"[[[[[["'), { ...MESSAGE_BOUNDS, maxDepth: 1 }), undefined);
});

/** Returns the lines that a line reader gets from a stream of these pieces, and how the stream ends. */
async function linesOf(given: Iterable<Buffer>, onLine: (line: string) => void, skipLong?: true) {
  const stream = Readable.from(given, { objectMode: false });
  const ended = new Promise<Error | undefined>((resolve) => {
    stream.once('error', resolve).once('end', () => resolve(undefined));
  });
  readLines(stream, { peer: 'a peer', onLine: (line) => onLine(line.toString()), maxBytes: 10, skipLong });
  return ended;
}

test('lines are whole, wherever the stream is cut', async () => {
  const line = fc.string({ maxLength: 10, unit: fc.constantFrom(...'ab \r') });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1 }), lengths, async (lines, cuts) => {
      const seen: string[] = [];
      const text = lines.map((each) => `${each}\n`).join('');
      assert.equal(await linesOf(pieces(text, cuts), (each) => seen.push(each)), undefined);
      assert.deepEqual(seen, lines);
    }),
    { numRuns: depth(200, 5_000) },
  );
});

test('a line that is too long ends the stream, or is skipped', async () => {
  for (const cuts of [[1], [7], [1_000]]) {
    const text = `one\n${'x'.repeat(40)}\ntwo\n`;
    const seen: string[] = [];
    const error = await linesOf(pieces(text, cuts), (each) => seen.push(each));
    assert.match(error!.message, /a peer sent a line of more than 10 bytes/);
    assert.deepEqual(seen, ['one']);
    const skipped: string[] = [];
    assert.equal(await linesOf(pieces(text, cuts), (each) => skipped.push(each), true), undefined);
    assert.deepEqual(skipped, ['one', 'two']);
  }
});

test('a reader that throws ends its own stream', async () => {
  const error = await linesOf([Buffer.from('a\nb\n')], () => {
    throw new TypeError('no such member');
  });
  assert.deepEqual([error!.name, error!.message], ['PeerError', 'a peer no such member']);
});

test('an endless line costs no more memory than its bound', async () => {
  const stream = new PassThrough();
  readLines(stream, { peer: 'a peer', onLine: () => assert.fail(), maxBytes: 1_000_000 });
  const piece = Buffer.alloc(100, 'x');
  while (!stream.destroyed) {
    stream.write(piece);
    await new Promise(setImmediate);
  }
  assert.match(stream.errored!.message, /1000000 bytes/);
});

test('a body that is too long is not read to its end', async () => {
  let sent = 0;
  function* endless() {
    for (;;) {
      sent += 1_000;
      yield Buffer.alloc(1_000);
    }
  }
  await assert.rejects(readBody(endless(), 'a peer', 10_500), /a peer sent more than 10500 bytes/);
  assert.equal(sent, 11_000);
});
