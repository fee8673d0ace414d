import assert from 'node:assert/strict';
import { toRequest } from '../support/client.ts';
import { OPERATIONS } from '../support/document.ts';
import { validCall } from '../support/valid-calls.ts';
import type { Subject } from '../support/world.ts';

/** Low enough to be used up quickly, but sufficient for the other stories, which use their own keys. */
export const LOW_LIMIT = 1_000;

/** Enough concurrent requests to use up the limit within a minute, even on a busy machine. */
const AT_ONCE = 50;

/** Once a key's limit is used up, every operation is refused. The subject's key has {@link LOW_LIMIT}. */
export async function limits({ client, ids }: Subject): Promise<void> {
  for (const operation of OPERATIONS) {
    const request = toRequest(operation, { ...validCall(operation, ids), query: { tempalte: 1 } });
    let answer = await client.send(request);
    // Repeated for every operation, because a new minute may begin at any time.
    for (let n = 0; n < LOW_LIMIT && answer.status !== 429; n += AT_ONCE) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => client.send(request)));
      answer = answers.find(({ status }) => status === 429) ?? answer;
    }
    assert.equal(answer.code, 'rate_limit_exceeded', `${operation.id}: ${answer.text}`);
  }
}
