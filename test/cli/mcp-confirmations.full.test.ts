import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { resultOf } from '../../cli/src/mcp/answers.ts';
import { Confirmations, LIFETIME_MS } from '../../cli/src/mcp/confirmations.ts';
import { createServer } from '../../cli/src/mcp/mcp-server.ts';
import { TOOLS } from '../../cli/src/mcp/tools/index.ts';
import { Session } from '../../cli/src/session.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject, newVm } from '../acceptance/support/world.ts';
import { defer } from '../support/cleanup.ts';
import { assistantOf } from './support/assistant.ts';

test('a confirmation is for one tool and its arguments, once, and for five minutes', () => {
  let now = 0;
  const confirmations = new Confirmations(() => now);
  const issue = () => confirmations.issue('delete_vm', { vm: 'a', at: { x: 1, y: [2] } }, 'terms');
  const input = { at: { y: [2], x: 1 }, vm: 'a' };
  const token = issue();
  assert.equal(confirmations.redeem('delete_vm', input, token), 'terms');
  assert.throws(() => confirmations.redeem('delete_vm', input, token), /already been used/);
  const misused: [string, object][] = [
    ['create_vm', input],
    ['delete_vm', { ...input, vm: 'b' }],
    ['delete_vm', { vm: 'a' }],
    ['delete_vm', { ...input, at: { x: 1, y: ['2'] } }],
  ];
  for (const [tool, given] of misused) {
    const other = issue();
    assert.throws(() => confirmations.redeem(tool, given, other), /other arguments/);
    assert.throws(
      () => confirmations.redeem('delete_vm', input, other),
      /already been used/,
      'it is used up',
    );
  }
  const late = issue();
  now += LIFETIME_MS - 1;
  const last = issue();
  now += 1;
  assert.throws(() => confirmations.redeem('delete_vm', input, late), /expired/);
  assert.equal(confirmations.redeem('delete_vm', input, last), 'terms');
  const oldest = issue();
  for (let n = 0; n < 64; n += 1) issue();
  assert.throws(() => confirmations.redeem('delete_vm', input, oldest), /is unknown/, 'they have a bound');
});

test('an assistant cannot act on a preview that is too old', async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const { account, client: customer } = await newSubject(operator, program);
  await newVm(customer, 'web-1');
  const env = { VAUBAN_URL: baseUrl(), VAUBAN_API_KEY: await operator.key(account, SCOPES) };
  const { stdin, stdout, stderr } = process;
  const session = new Session({ env, stdin, stdout, stderr, signal: new AbortController().signal }, {});
  let now = 0;
  const server = createServer(session, TOOLS, {}, new Confirmations(() => now));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  defer(t, () => client.close());
  const { call, ok } = assistantOf(client);
  const { confirmation } = await call('preview_delete_vm', { vm: 'web-1' });
  now += LIFETIME_MS;
  assert.match((await call('delete_vm', { vm: 'web-1', confirmation })).text, /has expired/);
  assert.equal((await ok('list_vms')).vms[0].status, 'running');
});

test('no data can contain its own mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const [{ text: shown } = { text: '' }] = resultOf({ data: { text } }).content;
      const [, mark, json] = /<data ([0-9a-f]{16})>\n(.*)\n<\/data \1>$/s.exec(shown)!;
      assert.deepEqual(JSON.parse(json!), { text });
      assert.equal(shown.split(mark!).length, 4);
      assert.doesNotMatch(json!, /[\p{Cc}\p{Cf}]/u);
    }),
  );
  const long = resultOf({ data: 'x'.repeat(100_000) }).content[0]!.text;
  assert.ok(long.length < 25_000);
  assert.match(long, /It was truncated after 24000 of 100002 characters/);
});
