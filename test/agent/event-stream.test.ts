import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { EventStream } from '../../server/agent/event-stream.ts';
import { PING_MS, SEND_BUFFER_BYTES } from '../../server/agent/limits.ts';
import { ManualClock } from '../../server/platform/clock.ts';

const never = new AbortController().signal;
const BLOCK = 'x'.repeat(1_024);

/** Sends until the stream reports that its client lags behind. `waited` is true until `drained` resolves. */
function fill(stream: EventStream): { waited: () => boolean; sent: number } {
  let sent = 0;
  for (; sent < SEND_BUFFER_BYTES * 3; sent += BLOCK.length) stream.send(1, 'message.delta', { text: BLOCK });
  let over = false;
  void stream.drained(never).then(() => {
    over = true;
  });
  return { waited: () => !over, sent };
}

test('a sender that is faster than its client waits until the client has read', async () => {
  const stream = new EventStream(new ManualClock());
  await stream.drained(never);
  const { waited, sent } = fill(stream);
  await Promise.resolve();
  assert.ok(waited());
  let read = 0;
  stream.readable.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  await stream.drained(never);
  assert.ok(read > sent - SEND_BUFFER_BYTES, `${read} of ${sent}`);
  stream.end();
  await once(stream.readable, 'end');
  assert.ok(read > sent);
});

test('a client that is behind is not pinged, and is cut at the end', async () => {
  const clock = new ManualClock();
  const stream = new EventStream(clock);
  fill(stream);
  const held = stream.readable.readableLength;
  clock.advance(PING_MS);
  await Promise.resolve();
  assert.equal(stream.readable.readableLength, held);
  stream.end();
  await once(stream.readable, 'close');
  assert.ok(stream.closed.aborted);
  // Events after the end are discarded, and nothing waits for them.
  stream.send(2, 'message.delta', { text: BLOCK });
  await stream.drained(never);
});

test('a sender that waits for its client continues when the run must end', async () => {
  const stream = new EventStream(new ManualClock());
  fill(stream);
  const end = new AbortController();
  const waiting = stream.drained(end.signal);
  end.abort();
  await waiting;
  stream.end();
});
