import assert from 'node:assert/strict';
import { idempotencyKey } from '../support/client.ts';
import type { Keys } from '../support/keys.ts';
import { allWrong, type Probe, refuses } from './probe.ts';

/** Well-formed, but of another installation. */
const FOREIGN_KEY = 'vk_NwkFxkKavcKHQ77SCayCa86jHoh4MaKYD';
const unauthenticated = (
  name: string,
  authorization: (keys: Keys) => string | undefined,
  code: string,
): Probe => ({
  name,
  async run(operation, { own, keys }) {
    const header = authorization(keys);
    const request = allWrong(operation);
    const headers = { ...request.headers, ...(header !== undefined && { authorization: header }) };
    await refuses(own.client.withKey(undefined), { ...request, headers }, 401, code);
  },
});

export const KEY_PROBES: Probe[] = [
  unauthenticated('no key', () => undefined, 'api_key_missing'),
  unauthenticated('an empty Authorization', () => '', 'api_key_missing'),
  unauthenticated('a malformed key', () => 'Bearer vk_not-a-key', 'api_key_invalid'),
  unauthenticated(
    'a key with a typing error',
    () => `Bearer ${FOREIGN_KEY.slice(0, -1)}x`,
    'api_key_invalid',
  ),
  unauthenticated('another scheme', () => 'Basic dXNlcjpwYXNzd29yZA==', 'api_key_invalid'),
  unauthenticated('an unknown key', () => `Bearer ${FOREIGN_KEY}`, 'api_key_invalid'),
  unauthenticated('an expired key', ({ expired }) => `Bearer ${expired}`, 'api_key_expired'),
  unauthenticated('a revoked key', ({ revoked }) => `Bearer ${revoked}`, 'api_key_invalid'),
  unauthenticated('a key for another network', ({ elsewhere }) => `Bearer ${elsewhere}`, 'ip_not_allowed'),
  {
    name: 'a key with every scope but the one',
    async run(operation, { own, keys }) {
      const { method, path, scope } = operation;
      const answer = await own.client.withKey(keys.without.get(scope)).send(allWrong(operation));
      const { error } = JSON.parse(answer.text) as { error: { message: string } };
      assert.deepEqual([answer.status, answer.code], [403, 'scope_required']);
      assert.equal(error.message, `Scope ${scope} is required for ${method} ${path}`);
    },
  },
  {
    name: 'a suspended account, where it is more than a read',
    suits: ({ scope }) => !scope.endsWith(':read'),
    run: (operation, { own, keys }) =>
      refuses(own.client.withKey(keys.suspended), allWrong(operation), 409, 'account_suspended'),
  },
];

const badIdempotencyKey = (name: string, key: string | undefined, code: string): Probe => ({
  name,
  suits: ({ idempotent }) => idempotent,
  async run(operation, { own }) {
    const request = allWrong(operation);
    const headers = { ...request.headers, ...(key !== undefined && idempotencyKey(key)) };
    await refuses(own.client, { ...request, headers }, 400, code);
  },
});

export const IDEMPOTENCY_PROBES: Probe[] = [
  badIdempotencyKey('no Idempotency-Key', undefined, 'idempotency_key_missing'),
  badIdempotencyKey('an empty Idempotency-Key', '', 'idempotency_key_invalid'),
  badIdempotencyKey('a long Idempotency-Key', 'x'.repeat(201), 'idempotency_key_invalid'),
  badIdempotencyKey('an Idempotency-Key with a tab', 'a\tb', 'idempotency_key_invalid'),
  badIdempotencyKey('an Idempotency-Key beyond ASCII', 'caf\u00e9', 'idempotency_key_invalid'),
];
