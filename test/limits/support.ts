import assert from 'node:assert/strict';
import type { Reply } from '../chaos/support/customer.ts';

/** What a reply says of the limits; `retryAfter` is null where the header is absent, as it must be below 429. */
export interface Rate {
  status: number;
  limit: number;
  remaining: number;
  reset: number;
  retryAfter: number | null;
}

/** Reads the headers, which must be there whatever the answer is. */
export function rateOf({ status, headers }: Reply): Rate {
  const number = (name: string) => {
    const value = headers.get(name);
    assert.match(value ?? 'absent', /^\d+$/, `${name} of a ${status}`);
    return Number(value);
  };
  assert.equal(headers.has('retry-after'), status === 429, `retry-after of a ${status}`);
  return {
    status,
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
    retryAfter: status === 429 ? number('retry-after') : null,
  };
}

/** The policy that a 429 says was violated. */
export function policyOf({ status, json }: Reply): string {
  assert.equal(status, 429);
  assert.equal(json.error.code, 'rate_limit_exceeded');
  return json.error.details.policy;
}

/** Sends `count` requests at once; the replies. */
export function burst(count: number, send: () => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, send));
}

/** How many of the replies have each status. */
export function statuses(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
