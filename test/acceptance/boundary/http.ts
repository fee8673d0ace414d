import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { checkReply } from '../support/checks.ts';
import { SCOPES } from '../support/roster.ts';
import type { Installation } from '../support/start.ts';
import type { Reply } from '../support/transport.ts';
import { Wire } from '../support/wire.ts';
import { PLENTY } from '../support/world.ts';

const KIB = 1024;
const WALLET = { method: 'GET', target: '/v1/billing/wallet' };

/** HTTP as other clients speak it, correctly or not. */
export async function http(
  t: TestContext,
  { operator, client: nobody, baseUrl }: Installation,
): Promise<void> {
  const account = await operator.account('http', PLENTY);
  const key = await operator.key(account, SCOPES);
  const client = nobody.withKey(key);

  /** Sends these bytes on a new connection and returns the replies. */
  const say = async (bytes: string | Buffer, replies = 1): Promise<(Reply | undefined)[]> => {
    const wire = await Wire.open(baseUrl());
    wire.write(bytes);
    const said = [];
    for (let n = 0; n < replies; n++) said.push(await wire.reply());
    wire.close();
    return said;
  };
  const head = (requestLine: string, ...headers: string[]) =>
    [requestLine, 'Host: localhost', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');

  await t.test('a harmless X-Request-Id is accepted, another is replaced', async () => {
    const send = async (id: string | undefined, method = 'GET') => {
      const headers = { ...(id !== undefined && { 'x-request-id': id }) };
      return (await client.send({ ...WALLET, method, headers })).headers['x-request-id'];
    };
    for (const id of ['a', 'A-b_c.9', 'x'.repeat(64), randomUUID()]) {
      assert.equal(await send(id), id);
      assert.equal(await send(id, 'POST'), id, 'on a refusal too');
    }
    for (const id of ['', ' ', 'x'.repeat(65), 'a b', '<script>', 'caf\u00e9', '"', 'a/b', '{}', 'a,b']) {
      assert.notEqual(await send(id), id);
    }
    assert.notEqual(await send(undefined), await send(undefined));
  });

  await t.test('a connection survives a refusal', async () => {
    const wire = await Wire.open(baseUrl());
    for (const [target, status] of [
      ['/nowhere', 404],
      ['/v1/vm?tempalte=1', 422],
      ['/v1/billing/wallet', 200],
    ] as const) {
      wire.write(head(`GET ${target} HTTP/1.1`));
      assert.equal((await wire.reply())?.status, status);
    }
    wire.close();
  });

  await t.test('pipelined requests are answered in order', async () => {
    const ids = ['first', 'second', 'third', 'fourth'];
    const targets = ['/v1/billing/wallet', '/nowhere', '/v1/vm', '/v1/vm/catalog'];
    const bytes = ids.map((id, n) => head(`GET ${targets[n]} HTTP/1.1`, `X-Request-Id: ${id}`)).join('');
    const replies = await say(bytes, ids.length);
    assert.deepEqual(
      replies.map((reply) => reply?.headers['x-request-id']),
      ids,
    );
    assert.deepEqual(
      replies.map((reply) => reply?.status),
      [200, 404, 200, 200],
    );
  });

  await t.test('a body may come in pieces, and may be exactly as long as allowed', async () => {
    const piece = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const post = head('POST /v1/vm/sshkeys HTTP/1.1', ...chunked);
    const [small] = await say(`${post}${piece('{"na')}${piece('me": 1}')}0\r\n\r\n`);
    assert.equal(small?.status, 422);
    const [large] = await say(`${post}${piece(' '.repeat(65 * KIB))}0\r\n\r\n`);
    assert.equal(large?.status, 413);
  });

  await t.test('the limits of a body are exact', async () => {
    const send = (method: string, target: string, size: number) =>
      client.send({
        method,
        target,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'size' },
        body: `{}${' '.repeat(size - 2)}`,
      });
    const vm = '/v1/vm/vm_00000000000000000000000000';
    for (const [method, target, limit, code] of [
      ['POST', '/v1/vm/sshkeys', 64 * KIB, 'validation_failed'],
      ['POST', '/v1/vm', 256 * KIB, 'validation_failed'],
      ['POST', `${vm}/ai-agent`, 64 * KIB, 'not_found'],
      ['POST', `${vm}/firewall`, 64 * KIB, 'not_found'],
      ['PATCH', vm, 64 * KIB, 'not_found'],
      ['POST', `${vm}/ai-agent/clear`, 64 * KIB, 'not_found'],
      ['DELETE', vm, 64 * KIB, 'not_found'],
    ] as const) {
      assert.equal((await send(method, target, limit)).code, code);
      assert.equal((await send(method, target, limit + 1)).code, 'body_too_large');
    }
  });

  await t.test('JSON may have its full media type', async () => {
    const send = (type: string) =>
      client.send({
        method: 'POST',
        target: '/v1/vm/sshkeys',
        headers: { 'content-type': type },
        body: '{}',
      });
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset=UTF-8',
    ]) {
      assert.equal((await send(type)).code, 'validation_failed', type);
    }
    for (const type of [
      'application/jsonp',
      'application/merge-patch+json',
      'text/json',
      '*/*',
      'json',
      ';',
      'a/b/c',
    ]) {
      assert.equal((await send(type)).code, 'unsupported_media_type', type);
    }
  });

  await t.test('invalid UTF-8 is refused', async () => {
    const send = (body: string | Buffer) =>
      client.send({
        method: 'POST',
        target: '/v1/vm/sshkeys',
        headers: { 'content-type': 'application/json' },
        body,
      });
    for (const body of [
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.from('{"name": "caf\u00e9"}', 'latin1'),
      Buffer.from('{"name": "x"}', 'utf16le'),
      '\ufeff{}',
      '{"name": "x",}',
      "{'name': 'x'}",
      '{"name": NaN}',
      '{"name": 01}',
      '{} {}',
    ]) {
      assert.equal((await send(body)).code, 'invalid_json', String(body));
    }
    for (const name of ['\\u0000', '\\ud800', 'a\\udc00b']) {
      assert.equal((await send(`{"name": "${name}", "public_key": "x"}`)).code, 'validation_failed', name);
    }
  });

  await t.test('a malformed request is refused in the same form', async () => {
    const garbage = [
      `GET /v1/vm HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      'GARBAGE\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /v1/vm HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
      'GET /v1/vm HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'POST /v1/vm HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
      'POST /v1/vm HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      head('GET /v1/vm HTTP/1.1', 'Host: other'),
      head('GET /v1/vm HTTP/1.1', `Authorization: Bearer ${key}`),
      ...['', 'a b', 'user@a', 'a/b', 'a?b', 'a,b', 'a:b', 'a:123456', '[::1', 'caf\u00e9'].map(
        (host) => `GET /v1/vm HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      ),
    ];
    for (const bytes of garbage) {
      const [reply] = await say(Buffer.from(bytes, 'latin1'));
      assert.equal(reply?.status, 400, bytes.slice(0, 80));
      checkReply({ method: '', target: '' }, reply);
    }
    for (const host of ['a', 'a:8080', 'A.example.', 'a_b', '192.0.2.1', '[2001:db8::1]:443']) {
      const [reply] = await say(
        `GET /v1/vm HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      assert.equal(reply?.status, 200, host);
    }
  });

  await t.test('a request that is too long names the part that is', async () => {
    for (const [bytes, status, code] of [
      [head(`GET /v1/vm?${'x'.repeat(8 * KIB)} HTTP/1.1`), 414, 'uri_too_long'],
      [head(`GET /v1/vm?${'x'.repeat(20 * KIB)} HTTP/1.1`), 414, 'uri_too_long'],
      [head('GET /v1/vm HTTP/1.1', `X-Long: ${'x'.repeat(20 * KIB)}`), 431, 'headers_too_large'],
    ] as const) {
      const [reply] = await say(bytes);
      assert.equal(reply?.status, status);
      assert.equal(checkReply({ method: '', target: '' }, reply), code);
    }
  });

  await t.test('HEAD answers like GET without a body, also on routes that need no key', async () => {
    for (const target of ['/healthz', '/readyz', '/openapi.json', '/docs', '/share/shr_x']) {
      const [get, headOnly] = await Promise.all(
        ['GET', 'HEAD'].map(async (method) => fetch(`${baseUrl()}${target}`, { method })),
      );
      assert.equal(headOnly!.status, get!.status, target);
      assert.equal(headOnly!.headers.get('content-type'), get!.headers.get('content-type'), target);
      assert.equal(await headOnly!.text(), '');
      assert.notEqual(await get!.text(), '');
    }
  });

  await t.test('the server does not name itself', async () => {
    const { headers } = await client.send(WALLET);
    assert.deepEqual([headers.server, headers['x-powered-by']], [undefined, undefined]);
  });

  await t.test('unusual but legal requests are answered in the usual form', async () => {
    const requests = [
      `GET /v1/vm HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      head('GET /v1/vm HTTP/1.1', 'Expect: 200-ok'),
      head('GET /v1/vm HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'),
      head('GET http://localhost/v1/vm HTTP/1.1'),
      head('GET /v1/vm HTTP/1.1', 'Content-Length: 2', 'Content-Type: text/plain').concat('{}'),
      head('OPTIONS * HTTP/1.1'),
    ];
    for (const bytes of requests) {
      const [reply] = await say(bytes);
      assert.ok(reply, bytes);
      const [method = '', target = ''] = bytes.split(' ');
      checkReply({ method, target: target.replace('http://localhost', '') }, reply);
    }
  });
}
