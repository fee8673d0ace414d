import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkReply } from '../acceptance/support/checks.ts';
import { OPERATIONS } from '../acceptance/support/document.ts';
import { Wire } from '../acceptance/support/wire.ts';
import { depth } from '../support/depth.ts';
import { brokenRequests } from './support/junk.ts';
import { aim, everywhere, type Shot, shots } from './support/shots.ts';
import { Target } from './support/target.ts';

/**
 * For any request the service replies as openapi.json promises, never breaks, and writes nothing when it refuses. A
 * failure names its seed and path, which reproduce it: FUZZ_SEED=… FUZZ_PATH=…. To explore other requests, and for
 * longer: FUZZ_SEED=$RANDOM FUZZ_RUNS=100000 node --test test/fuzz/requests.full.test.ts
 */
const seed = Number(process.env.FUZZ_SEED ?? 1);
const path = process.env.FUZZ_PATH;
const runs = Number(process.env.FUZZ_RUNS ?? depth(100, 1_200));
/** A busy machine does fewer runs instead of taking longer, unless more were requested. */
const TIME_LIMIT_MS = 20_000;

/** Reads that create the object they return: a console's one-time ticket. */
const READS_THAT_WRITE = new Set(['getConsole']);

/** They reach little more than Node's parser, which Node tests itself. */
const BROKEN_REQUESTS = depth(50, 200);

/** Sends a shot and recreates objects for the next one. Returns the reply's code, or `ok` if it succeeded. */
async function fire(target: Target, shot: Shot): Promise<string> {
  const { status, code = 'ok' } = await target.client.send(aim(shot, target.ids));
  assert.ok(status < 500, `answered ${status}`);
  if (status === 200 && shot.operation.method !== 'GET') {
    await target.settle();
    if (shot.operation.method === 'DELETE') await target.furnish();
  }
  return code;
}

test(`any input (seed ${seed})`, async (t) => {
  const target = await Target.open(t);

  await t.test('anything, in no order; a refusal writes nothing', async (t) => {
    const counts: Record<string, number> = {};
    let before = await target.digest();
    const property = fc.asyncProperty(shots, async (shot) => {
      const code = await fire(target, shot);
      counts[code] = (counts[code] ?? 0) + 1;
      const after = await target.digest();
      const { id, method } = shot.operation;
      const mayWrite = code === 'ok' && (method !== 'GET' || READS_THAT_WRITE.has(id));
      if (!mayWrite) assert.equal(after, before, 'something was written');
      before = after;
    });
    const interruptAfterTimeLimit = process.env.FUZZ_RUNS === undefined ? TIME_LIMIT_MS : undefined;
    await fc.assert(property, { seed, path, numRuns: runs, interruptAfterTimeLimit });
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    t.diagnostic(`${total} requests: ${JSON.stringify(counts)}`);
  });

  await t.test('hostile values, each in every place', async (t) => {
    let count = 0;
    for (const operation of OPERATIONS) {
      for (const [index, shot] of [...everywhere(operation)].entries()) {
        if (index % depth(10, 1) !== 0) continue;
        await fire(target, shot);
        count += 1;
      }
    }
    t.diagnostic(`${count} requests`);
  });

  await t.test('bytes that are hardly a request', async () => {
    const property = fc.asyncProperty(brokenRequests, async (bytes) => {
      const wire = await Wire.open(target.baseUrl);
      wire.write(bytes);
      wire.end();
      const reply = await wire.reply();
      wire.close();
      if (reply) checkReply({ method: '', target: '' }, reply);
    });
    await fc.assert(property, { seed, numRuns: BROKEN_REQUESTS });
  });
});
