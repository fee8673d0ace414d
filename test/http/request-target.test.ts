// Runs on the embedded engine only: it is about the request line.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { type TestContext, test } from 'node:test';
import { normalizeTarget } from '../../server/http/request-target.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';

const HOST = 'cloud.example';

test('a target has one spelling', () => {
  const spellings: [string, string][] = [
    ['/v1/vm', '/v1/vm'],
    ['/v1/%76m', '/v1/vm'],
    ['/v1/%76%6D', '/v1/vm'],
    ['/v1/vm/a%2fb', '/v1/vm/a%2Fb'],
    ['/v1/vm/%7Ea%2d', '/v1/vm/~a-'],
    ['/v1/vm/%C3%a4', '/v1/vm/%C3%A4'],
    ['/v1/vm/%252e', '/v1/vm/%252e'],
    ['/v1/vm?hostname=%77eb', '/v1/vm?hostname=web'],
    ['/v1/vm?hostname=a%0ab', '/v1/vm?hostname=a%0Ab'],
    ['/v1/vm?a[]={"b"|^}', '/v1/vm?a[]=%7B%22b%22%7C%5E%7D'],
    ['/v1/vm/?a?b', '/v1/vm/?a?b'],
    ['//v1/vm', '//v1/vm'],
    ['http://cloud.example/v1/vm', '/v1/vm'],
    ['HTTP://Cloud.Example?a', '/?a'],
    ['*', '*'],
  ];
  for (const [target, expected] of spellings) assert.equal(normalizeTarget(target, HOST), expected, target);
});

const INVALID = [
  '',
  'v1/vm',
  '/v1/vm#top',
  '/v1/vm?a#b',
  '/v1\\vm',
  '/v1/vm?a=\\',
  '/v1/vm/%',
  '/v1/vm/%4',
  '/v1/vm/%zz',
  '/v1/vm/%00',
  '/v1/vm?hostname=%00',
  '/v1/vm/%0a',
  '/v1/vm/%7f',
  '/v1/vm/%C2%9B',
  '/v1/vm/%ff',
  '/v1/vm/%c0%af',
  '/v1/vm/%ed%a0%80',
  '/v1/vm?hostname=%ff',
  '/v1/vm/\u00e4',
  '/v1/vm\t',
  '/v1/vm\u0000',
  'http://elsewhere.example/v1/vm',
  'ftp://cloud.example/v1/vm',
  'cloud.example:443',
];

test('an invalid target has no spelling', () => {
  for (const target of INVALID) assert.equal(normalizeTarget(target, HOST), undefined, target);
});

/** Sends a request with exactly these bytes and returns the status and the reply. */
async function say(t: TestContext, to: NetConnectOpts, target: string, ...headers: string[]) {
  const socket = connect(to);
  t.after(() => socket.destroy());
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
  });
  socket.write(
    Buffer.from(
      [`GET ${target} HTTP/1.1`, `Host: ${HOST}`, 'Connection: close', ...headers, '', ''].join('\r\n'),
      'latin1',
    ),
  );
  await once(socket, 'close');
  return { status: Number(heard.split(' ')[1]), text: heard };
}

test('each listener and mount refuses an invalid target', async (t) => {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) });
  const service = await startInProcess(t, { logger, env: { VAUBAN_OPERATOR_LISTEN: '127.0.0.1:0' } });
  const customer = await newCustomer(service);
  const port = Number(new URL(service.baseUrl).port);
  const http = (target: string, ...headers: string[]) =>
    say(t, { port, host: '127.0.0.1' }, target, ...headers);
  const key = `Authorization: Bearer ${customer.key}`;

  const invalid = ['/v1/vm/%00', '/v1/vm#secret', '/v1/vm?a#secret', '/v1\\vm', '/%761/vm/%ff'];
  for (const target of invalid) {
    const { status, text } = await http(target, key);
    assert.equal(status, 400, target);
    assert.match(text, /"code":"invalid_request"/, target);
    for (const header of ['limit', 'remaining', 'reset'])
      assert.match(text, new RegExp(`^x-ratelimit-${header}: \\d`, 'm'), target);
    assert.equal((await http(target)).status, 401, target);
  }
  // Node refuses it before the API key is checked.
  assert.equal((await http('/v1/\u00e4', key)).status, 400);
  assert.equal((await http('/docs/%00')).status, 400);
  assert.equal((await http('/panel/api/session/%00', `Origin: http://${HOST}`)).status, 401);
  assert.equal((await http('/operator/api/accounts/%00', `Origin: http://${HOST}`)).status, 401);
  for (const target of [
    '/accounts/%00',
    '/accounts?name=%00',
    '/accounts#a',
    '/accounts/\u00ff',
    '/vms/%ff',
  ]) {
    const { status, text } = await say(t, { path: service.operatorSocket }, target);
    assert.equal(status, 400, `${target}: ${text}`);
  }
  assert.doesNotMatch(lines.join(''), /secret|%00|#/);
});

test('two spellings of a path are one operation and one line of the log', async (t) => {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) });
  const service = await startInProcess(t, { logger });
  const customer = await newCustomer(service);
  const order = { body: { plan: 's1', template: 'debian-12', hostname: 'web-1' }, idempotencyKey: 'once' };
  const first = await customer.send('POST', '/v1/vm', order);
  assert.equal(first.status, 200, first.text);
  const again = await customer.send('POST', '/v1/%76m', order);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const paths = lines.map((line) => JSON.parse(line)).filter(({ operation }) => operation === 'createVm');
  assert.deepEqual(
    paths.map(({ path }) => path),
    ['/v1/vm', '/v1/vm'],
  );
  assert.equal((await customer.send('GET', '/%761/vm/%63atalog')).status, 200);
  // A WebSocket's path is compared in the same spelling.
  const port = Number(new URL(service.baseUrl).port);
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const answers = await Promise.all(
    ['/share/shr_x/socket', '/%73hare/shr_x/socket'].map((target) =>
      say(t, { port, host: '127.0.0.1' }, target, ...upgrade, `Sec-WebSocket-Key: ${'a'.repeat(22)}==`),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]));
});
