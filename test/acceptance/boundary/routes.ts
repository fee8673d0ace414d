import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Client } from '../support/client.ts';
import { match, PATHS } from '../support/document.ts';
import { SCOPES } from '../support/roster.ts';
import type { Installation } from '../support/start.ts';

/** The names of the fixed resources under /v1/vm, which are never the id of a VM. */
const LITERALS = ['catalog', 'prices', 'custom-quote', 'ops-key', 'sshkeys'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
const ID = 'vm_00000000000000000000000000';

/** Addresses without a route, in different spellings. */
const NOWHERE = [
  '/',
  '/v1',
  '/v1/',
  '/v2/vm',
  '/V1/vm',
  '/v1/VM',
  '//v1/vm',
  '/v1//vm',
  '/v1/vm/',
  '/v1/vm//',
  `/v1/vm/${ID}/`,
  `/v1/vm/${ID}//start`,
  '/v1/vm//start',
  '/v1/./vm',
  '/v1/billing/../vm',
  '/v1/vm/..%2f',
  '/v1/billing%2fwallet',
  '/v1/vm;a=b/catalog',
  '/v1/vm/%F0%9F%90%98',
  '/v1/vm/a%2fb',
  '/v1/vm/..',
  '/v1/vm/__proto__',
  '/v1/vm/constructor/jobs',
  `/v1/vm/${'x'.repeat(101)}`,
  `/v1/vm/${'x'.repeat(8_000)}/jobs`,
  `/v1/vm/sshkeys/${ID}/jobs`,
  `/v1/tenants/${ID}`,
  '/healthz/x',
  '/metrics',
];

const INVALID = [
  '/v1/vm/%',
  '/v1/vm/%zz',
  '/v1/vm/%ff',
  '/v1/vm/%c0%af',
  '/v1/vm/%ed%a0%80',
  '/v1/vm/%00',
  '/v1/vm/%00/jobs',
  `/v1/vm/${ID}%00`,
  `/v1/vm/${ID}%0d%0aX-Injected:%20yes`,
  '/v1/%',
  '/v1/vm?hostname=%ff',
  '/v1/vm?hostname=%00',
];

/** Returns a path of the API with an id in place of each variable. */
const sample = (path: string) => path.replace(/\{\w+\}/g, ID);

export async function routes(t: TestContext, { operator, client: nobody }: Installation): Promise<void> {
  const account = await operator.account('routes');
  const everything = nobody.withKey(await operator.key(account, SCOPES));
  /** For an existing route, a key without scopes for it gets an error that names the missing scope. */
  const little = nobody.withKey(await operator.key(account, ['shield:write']));

  await t.test('an unsupported method is 405 with the supported ones', async () => {
    for (const [path, operations] of PATHS) {
      const allowed = operations.flatMap(({ method, id }) => {
        // Its GET issues a ticket.
        return method === 'GET' && id !== 'getConsole' ? ['GET', 'HEAD'] : [method];
      });
      const allow = allowed.sort().join(', ');
      const missing = METHODS.filter((method) => !allowed.includes(method));
      for (const method of missing) await expectRefusal(little, method, sample(path), 405, allow);
      await expectRefusal(nobody, missing[0]!, sample(path), 401);
    }
    for (const method of METHODS) await expectRefusal(nobody, method, '/v1/vm', 401);
  });

  await t.test('a fixed resource is never a VM', async () => {
    for (const literal of LITERALS) {
      for (const method of METHODS) {
        const target = `/v1/vm/${literal}`;
        if (match(method === 'HEAD' ? 'GET' : method, target)) continue;
        const allow = literal === 'sshkeys' ? 'GET, HEAD, POST' : 'GET, HEAD';
        await expectRefusal(everything, method, target, 405, allow);
      }
    }
  });

  await t.test('and has no subresources of a VM', async () => {
    const tails = [...PATHS.keys()].flatMap((path) => path.split('/v1/vm/{id}/').slice(1)).map(sample);
    for (const literal of LITERALS) {
      for (const tail of tails) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const target = `/v1/vm/${literal}/${tail}`;
          // Below `sshkeys`, a single further segment is the id of a key, whatever it is.
          const isKey = literal === 'sshkeys' && !tail.includes('/');
          if (isKey && method === 'DELETE') continue;
          await (isKey
            ? expectRefusal(little, method, target, 405, 'DELETE')
            : expectRefusal(little, method, target, 404));
        }
      }
    }
  });

  await t.test('an unknown path is 404, with any key', async () => {
    for (const target of NOWHERE) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await everything.send({ method, target, headers: { 'idempotency-key': 'x' } });
        if (answer.status !== 405) assert.equal(answer.code, 'not_found', `${method} ${target.slice(0, 60)}`);
      }
      const anonymous = await nobody.send({ method: 'GET', target });
      assert.equal(anonymous.code, 'api_key_missing', target.slice(0, 60));
    }
  });

  await t.test('an invalid target is 400 for callers with a key', async () => {
    for (const target of INVALID) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await little.send({ method, target, headers: { 'idempotency-key': 'x' } });
        assert.deepEqual([answer.status, answer.code], [400, 'invalid_request'], `${method} ${target}`);
        const anonymous = await nobody.send({ method, target });
        assert.equal(anonymous.code, 'api_key_missing', `${method} ${target}`);
      }
    }
  });

  await t.test('every 404 is the same', async () => {
    const texts = new Set<string>();
    for (const target of ['/nowhere', '/v1/vm/a%2Fb', `/v1/vm/${ID}`, `/v1/billing/invoices/${ID}`]) {
      texts.add((await everything.send({ method: 'GET', target })).text);
    }
    assert.equal(texts.size, 1);
  });

  await t.test('a browser gets no CORS headers', async () => {
    for (const method of ['OPTIONS', 'GET']) {
      const headers = {
        origin: 'https://example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      };
      // The client rejects any reply with an Access-Control header.
      const answer = await everything.send({ method, target: '/v1/vm', headers });
      assert.equal(answer.status, method === 'GET' ? 200 : 405);
      assert.equal(answer.headers.vary, undefined);
    }
  });
}

async function expectRefusal(
  client: Client,
  method: string,
  target: string,
  status: number,
  allow?: string,
): Promise<void> {
  const answer = await client.send({ method, target });
  assert.deepEqual(
    [answer.status, answer.headers.allow],
    [status, allow],
    `${method} ${target}: ${answer.text}`,
  );
  if (method === 'HEAD') assert.equal(answer.text, '');
}
