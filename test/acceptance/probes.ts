import assert from 'node:assert/strict';
import { type Client, idempotencyKey, toRequest } from './support/client.ts';
import { OPERATIONS, type Operation } from './support/document.ts';
import type { Keys } from './support/keys.ts';
import type { Request } from './support/transport.ts';
import { collections, type Ids, validCall } from './support/valid-calls.ts';
import type { Subject } from './support/world.ts';

/**
 * What every operation must refuse, whatever it does: made from openapi.json alone, so that no new operation
 * can dodge it. Each probe is wrong in its own way and in every way that is checked later, which holds the
 * order of the checks as well: key, scope, Idempotency-Key, body, resource, validation.
 */

/** Well-formed, of another installation. */
const FOREIGN_KEY = 'vk_NwkFxkKavcKHQ77SCayCa86jHoh4MaKYD';
/** Larger than any body may be. */
const TOO_LARGE = 100 * 1024;

export interface ProbeWorld {
  own: Subject;
  foreign: Subject;
  keys: Keys;
}

interface Probe {
  name: string;
  /** Which operations it is for; all when absent. */
  suits?: (operation: Operation) => boolean;
  run(operation: Operation, world: ProbeWorld): Promise<void>;
}

const takesBody = ({ body }: Operation) => body !== undefined;
const hasPlace = ({ variables }: Operation) => variables.length > 0;
const ABSENT = 'vm_00000000000000000000000000';

/** The things of a path, none of which exists. */
function absent(operation: Operation): Ids {
  return Object.fromEntries(collections(operation).map((collection) => [collection, ABSENT]));
}

/** A request that is wrong in every way: no such resource, no Idempotency-Key, no JSON, a mistyped query. */
function allWrong(operation: Operation): Request {
  const { method, target } = toRequest(operation, {
    ...validCall(operation, absent(operation)),
    query: { tempalte: 1 },
  });
  if (method === 'GET') return { method, target };
  return { method, target, headers: { 'content-type': 'application/json' }, body: '{' };
}

async function refuses(client: Client, request: Request, status: number, code: string): Promise<void> {
  const answer = await client.send(request);
  assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
}

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

const KEY_PROBES: Probe[] = [
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

const IDEMPOTENCY_PROBES: Probe[] = [
  badIdempotencyKey('no Idempotency-Key', undefined, 'idempotency_key_missing'),
  badIdempotencyKey('an empty Idempotency-Key', '', 'idempotency_key_invalid'),
  badIdempotencyKey('a long Idempotency-Key', 'x'.repeat(201), 'idempotency_key_invalid'),
  badIdempotencyKey('an Idempotency-Key with a space', 'a b', 'idempotency_key_invalid'),
  badIdempotencyKey('an Idempotency-Key beyond ASCII', 'caf\u00e9', 'idempotency_key_invalid'),
];

const badBody = (name: string, body: string, type: string, status: number, code: string): Probe => ({
  name,
  suits: ({ method }) => method !== 'GET',
  async run(operation, { own }) {
    const { method, target, headers } = toRequest(operation, validCall(operation, absent(operation)));
    const request = { method, target, headers: { ...headers, 'content-type': type }, body };
    await refuses(own.client, request, status, code);
  },
});

const JSON_TYPE = 'application/json';
const BODY_PROBES: Probe[] = [
  badBody('a body that is not JSON', '{"plan": ', JSON_TYPE, 400, 'invalid_json'),
  badBody('a body that is another type', '<plan/>', 'application/xml', 415, 'unsupported_media_type'),
  badBody('a body without a type', '{}', '', 415, 'unsupported_media_type'),
  badBody('a form', 'plan=s1', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'),
  badBody('a huge body', ' '.repeat(TOO_LARGE), JSON_TYPE, 413, 'body_too_large'),
  badBody('a huge body of another type', ' '.repeat(TOO_LARGE), 'application/xml', 413, 'body_too_large'),
  badBody('a deep body', '['.repeat(5_000) + ']'.repeat(5_000), JSON_TYPE, 400, 'invalid_json'),
];

/** The ids of a path, each in turn replaced by one that does not exist, and by one of another account. */
function misplaced(operation: Operation, own: Ids, foreign: Ids): { absent: Ids; foreign: Ids }[] {
  return collections(operation).map((collection) => ({
    absent: { ...own, [collection]: ABSENT },
    foreign: { ...own, [collection]: foreign[collection]! },
  }));
}

const RESOURCE_PROBES: Probe[] = [
  {
    name: 'what does not exist, or is not ours: the same 404, before validation',
    suits: hasPlace,
    async run(operation, { own, foreign }) {
      for (const places of misplaced(operation, own.ids, foreign.ids)) {
        const texts = [];
        for (const ids of [places.absent, places.foreign]) {
          const call = { ...validCall(operation, ids), query: { tempalte: 1 } };
          const answer = await own.client.call(operation.id, call);
          assert.deepEqual([answer.status, answer.code], [404, 'not_found'], answer.text);
          texts.push(`${answer.text}\n${Object.keys(answer.headers).sort()}`);
        }
        assert.equal(texts[0], texts[1]);
      }
    },
  },
];

async function refusesField(own: Subject, operation: Operation, change: object): Promise<void> {
  const details = await own.client.refused(operation.id, 'validation_failed', {
    ...validCall(operation, own.ids),
    ...change,
  });
  const fields = details.fields as { field: string; code: string }[];
  assert.deepEqual(
    fields.map(({ field, code }) => [field, code]),
    [['tempalte', 'unknown_field']],
  );
}

const VALIDATION_PROBES: Probe[] = [
  {
    name: 'an unknown query parameter',
    run: (operation, { own }) =>
      refusesField(own, operation, { query: { ...validCall(operation, own.ids).query, tempalte: 1 } }),
  },
  {
    name: 'an unknown body field',
    suits: ({ method }) => method !== 'GET',
    run(operation, { own }) {
      const { body } = validCall(operation, own.ids) as { body?: object };
      return refusesField(own, operation, { body: { ...body, tempalte: 1 } });
    },
  },
  {
    name: 'a body that is no object',
    suits: takesBody,
    async run(operation, { own }) {
      for (const body of [null, [], 'text', 0]) {
        if (body === null && !requiresBody(operation)) continue;
        const call = { ...validCall(operation, own.ids), body };
        await own.client.refused(operation.id, 'validation_failed', call);
      }
    },
  },
];

/** `null` reads as no body, which is what an action without required fields takes. */
const requiresBody = ({ body }: Operation) => (body?.schema.required?.length ?? 0) > 0;

const PROBES = [
  ...KEY_PROBES,
  ...IDEMPOTENCY_PROBES,
  ...BODY_PROBES,
  ...RESOURCE_PROBES,
  ...VALIDATION_PROBES,
];

/** Runs every probe on every operation that it suits; how many that were. Fails with all that went wrong. */
export async function probeAll(world: ProbeWorld): Promise<number> {
  const failures: string[] = [];
  let probes = 0;
  for (const operation of OPERATIONS) {
    for (const { name, suits, run } of PROBES) {
      if (suits && !suits(operation)) continue;
      probes += 1;
      await run(operation, world).catch((error: Error) => {
        failures.push(`${operation.id}, ${name}: ${error.message}`);
      });
    }
  }
  assert.equal(
    failures.length,
    0,
    `${failures.length} of ${probes} probes failed\n\n${failures.join('\n\n')}`,
  );
  return probes;
}
