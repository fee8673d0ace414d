import assert from 'node:assert/strict';
import type { Reply } from '../chaos/support/customer.ts';

/**
 * The rate limit in a reply; `retryAfter` is null if the header is absent, as it must be for a status other than 429.
 */
export interface Rate {
  status: number;
  limit: number;
  remaining: number;
  reset: number;
  retryAfter: number | null;
}

/** Reads the headers, which every reply must have. */
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

/** Returns the policy that a 429 names as violated. */
export function policyOf({ status, json }: Reply): string {
  assert.equal(status, 429);
  assert.equal(json.error.code, 'rate_limit_exceeded');
  return json.error.details.policy;
}

/** Sends `count` requests at once and returns the replies. */
export function burst(count: number, send: () => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, send));
}

export function statuses(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
