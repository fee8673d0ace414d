import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Allowance } from '../../server/consoles/allowance.ts';
import { OutputPacer } from '../../server/consoles/output-pacer.ts';
import { ManualClock } from '../../server/platform/clock.ts';

const SECOND_MS = 1_000;
const MB = 1024 * 1024;

/** A pacer, its output so far, and a source that pushes whenever there is space. */
function pace(readers: number) {
  const clock = new ManualClock();
  const over = new AbortController();
  const sent: Buffer[] = [];
  const pacer = new OutputPacer(clock, over.signal, {
    readers: () => readers,
    send: (piece) => sent.push(piece),
  });
  const bytes = () => sent.reduce((sum, { length }) => sum + length, 0);
  /** Pours 32 KiB at a time for some seconds, like a guest's stream that pauses while the pacer is full. */
  const pour = async (seconds: number) => {
    const chunk = Buffer.alloc(32_768, 'x');
    for (let ms = 0; ms < seconds * SECOND_MS; ms += 5) {
      while (!pacer.isFull) pacer.push(chunk);
      await tick(clock, 5);
    }
  };
  return { clock, over, sent, pacer, bytes, pour };
}

async function tick(clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise(setImmediate);
}

test('output after a quiet time is sent at once, for one reader and for fifty', async () => {
  for (const readers of [1, 50]) {
    const { clock, sent, pacer } = pace(readers);
    for (const letter of 'echo') {
      pacer.push(Buffer.from(letter));
      assert.equal(sent.at(-1)!.toString(), letter);
      await tick(clock, 100);
    }
    assert.equal(sent.length, 4);
  }
});

test('a flood has one rate for any number of readers, and nothing is lost', async () => {
  for (const readers of [1, 10, 50]) {
    const { bytes, sent, pour } = pace(readers);
    await pour(1);
    const [before, messages] = [bytes(), sent.length];
    await pour(20);
    const perSecond = ((bytes() - before) * readers) / 20;
    assert.ok(perSecond <= 1.02 * MB, `${perSecond} bytes a second to ${readers}`);
    assert.ok(perSecond >= 0.6 * MB, `${perSecond} bytes a second to ${readers}`);
    const writes = ((sent.length - messages) * readers) / 20;
    assert.ok(writes <= 1_024, `${writes} messages a second to ${readers}`);
  }
  const { clock, over, sent, pacer, bytes } = pace(50);
  const poured = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251));
  for (let at = 0; at < poured.length; at += 999) pacer.push(poured.subarray(at, at + 999));
  assert.ok(bytes() < poured.length);
  const settled = pacer.settled();
  while (bytes() < poured.length) await tick(clock, 25);
  await tick(clock, SECOND_MS);
  await settled;
  assert.deepEqual(Buffer.concat(sent), poured);
  pacer.push(poured);
  over.abort();
  await pacer.settled();
  assert.ok(bytes() < 2 * poured.length, 'nothing goes once it is over');
});

test('tiny chunks that come fast are put together', async () => {
  const { clock, sent, pacer, bytes } = pace(10);
  const chunks = 20_000;
  for (let n = 0; n < chunks; n++) {
    pacer.push(Buffer.from('x'));
    if (n % 20 === 0) await tick(clock, 1);
  }
  await tick(clock, SECOND_MS);
  assert.equal(bytes(), chunks);
  assert.ok(sent.length < 200, `${sent.length} messages`);
});

test('a piece does not end within a control sequence', async () => {
  const { clock, sent, pacer } = pace(50);
  const cell = '\x1b[1;38;2;1;2;3mX';
  pacer.push(Buffer.from(cell.repeat(2_000)));
  for (let n = 0; n < 100; n++) await tick(clock, 200);
  assert.ok(sent.length > 10);
  for (const piece of sent) assert.ok(piece.toString().startsWith('\x1b'));
});

test('an allowance', async (t) => {
  await t.test('has some in reserve, and is refilled', () => {
    const clock = new ManualClock();
    const allowance = new Allowance(clock, 1_000);
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map(() => allowance.spend(200)),
      [0, 0, 0, 0, 0, 200, 400],
    );
    clock.advance(400);
    assert.equal(allowance.spend(0), 0);
    assert.equal(allowance.isWhole, false);
    clock.advance(1_000);
    assert.equal(allowance.isWhole, true);
    assert.equal(allowance.spend(5_000), 4_000);
    assert.equal(new Allowance(clock, 1_000, 300).spend(5_000), 300, 'no more is owed than may be');
  });

  await t.test('does not wait for a time that was set back to come again', () => {
    let now = 10_000_000;
    const clock = { now: () => new Date(now), sleep: async () => {} };
    const allowance = new Allowance(clock, 1_000);
    allowance.spend(2_000);
    now = 0;
    assert.equal(allowance.spend(200), 0);
  });
});
