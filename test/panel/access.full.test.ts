import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import {
  newAccount,
  newPerson,
  openPanel,
  type Panel,
  signInAs,
  signInByLink,
  TestBrowser,
} from './support/panel.ts';

/**
 * Tries who may call which operation from a browser. After an intended change, write the file again and have it
 * reviewed: WRITE_ACCESS_MATRIX=1 npm test -- test/panel/access.full.test.ts --db pglite
 */
const FILE = join(import.meta.dirname, 'access-matrix.txt');
const OPERATIONS = [...PANEL_ENDPOINTS, ...ENDPOINTS].map(({ operation, method, path }) => ({
  operation,
  method,
  path: path.replace(/\{\w+\}/g, 'vm_00000000000000000000000000'),
  name: `${method.padEnd(6)} ${path}`,
}));
/**
 * The outcomes that mean access was granted, for a request about something that does not exist, with an invalid body.
 */
const LET_IN = ['ok', 'not_found', 'validation_failed', 'invalid_json', 'idempotency_key_missing'];
const REFUSED = ['session_required', 'role_required'];
/** The headers with which a browser marks a request from another site. */
const FOREIGN = { origin: 'https://evil.example' };

type Operation = (typeof OPERATIONS)[number];

/** Sends a request without effect: writes get a body that cannot be parsed. */
async function knock(browser: TestBrowser, { method, path }: Operation, headers = {}): Promise<string> {
  const isRead = method === 'GET';
  const kept = browser.cookie;
  const reply = await browser.fetch(method, path, { ...(!isRead && { body: '{' }), headers });
  browser.cookie = kept;
  // A stream has no end; it is enough that it begins.
  if (reply.ok) {
    await reply.body?.cancel();
    return 'ok';
  }
  return ((await reply.json()) as { error: { code: string } }).error.code;
}

async function columns(panel: Panel) {
  const account = await newAccount(panel);
  const { personId } = await newPerson(panel);
  return {
    nobody: new TestBrowser(panel),
    person: await signInByLink(panel, personId),
    viewer: (await signInAs(panel, 'viewer', account)).browser,
    operator: (await signInAs(panel, 'operator', account)).browser,
    owner: (await signInAs(panel, 'owner', account)).browser,
  };
}

test('each operation is open to its declared callers: everyone, a person, a role, a recently confirmed one', async (t) => {
  const panel = await openPanel(t);
  const { clock } = panel;
  const stale = await columns(panel);
  // Past the time for which a sign-in counts as recent, and past the minute of the rate limits.
  clock.advance(11 * 60_000);
  const fresh = await columns(panel);
  const names = Object.keys(stale) as (keyof typeof stale)[];
  const lines = [`${''.padEnd(48)}${names.map((name) => name.padEnd(9)).join('')}`.trimEnd()];
  for (const operation of OPERATIONS) {
    const cells = [];
    for (const name of names) {
      const code = await knock(stale[name], operation);
      const sign = REFUSED.includes(code) ? '.' : code === 'confirmation_required' ? 'c' : 'x';
      assert.ok(sign !== 'x' || LET_IN.includes(code), `${operation.name} for ${name}: ${code}`);
      // A fresh sign-in is allowed wherever a stale one is asked to confirm.
      if (sign === 'c') assert.ok(LET_IN.includes(await knock(fresh[name], operation)), operation.name);
      cells.push(sign.padEnd(9));
    }
    lines.push(`${operation.name.padEnd(48)}${cells.join('')}`.trimEnd());
  }
  const found = `${lines.join('\n')}\n`;
  if (process.env.WRITE_ACCESS_MATRIX) await writeFile(FILE, found);
  assert.equal(found, await readFile(FILE, 'utf8'));
});

test('a key cannot use the panel, a session cannot use the API, and no other site can use either', async (t) => {
  const panel = await openPanel(t);
  const { baseUrl } = panel;
  const { browser } = await signInAs(panel, 'owner');
  const { secret } = await browser.ok('POST', '/keys', { body: { label: 'all', scopes: ['vm:read'] } });
  const authorization = `Bearer ${secret}`;
  assert.equal((await fetch(`${baseUrl}/v1/vm`, { headers: { authorization } })).status, 200);
  const publicOnes = new Set(
    PANEL_ENDPOINTS.filter(({ access }) => access === 'public').map(({ operation }) => operation),
  );
  const stranger = new TestBrowser(panel);
  for (const operation of OPERATIONS) {
    const code = await knock(stranger, operation, { authorization });
    if (!publicOnes.has(operation.operation)) assert.equal(code, 'session_required', operation.name);
    assert.equal(await knock(browser, operation, FOREIGN), 'origin_not_allowed', operation.name);
    panel.clock.advance(1_000);
  }
  // The check that refuses them depends only on the method of an operation.
  for (const operation of new Map(OPERATIONS.map((one) => [one.method, one])).values()) {
    const isWrite = operation.method !== 'GET';
    for (const headers of [
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      ...(isWrite ? [{ origin: undefined }, { 'sec-fetch-site': 'none' }] : []),
    ]) {
      const refused = await knock(browser, operation, headers);
      assert.equal(refused, 'origin_not_allowed', `${operation.name} ${JSON.stringify(headers)}`);
    }
  }
  for (const { method, path } of ENDPOINTS) {
    const reply = await fetch(baseUrl + path, {
      method,
      headers: { cookie: browser.cookie!, origin: baseUrl },
    });
    assert.equal(reply.status, 401, `${method} ${path}`);
    await reply.body?.cancel();
  }
  // An unknown route says so to people who are signed in, and to no one else.
  assert.equal((await browser.ask('GET', '/nothing')).error?.code, 'not_found');
  assert.equal((await stranger.ask('GET', '/nothing')).error?.code, 'session_required');
  const wrongMethod = await browser.ask('PUT', '/session');
  assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'DELETE, GET, HEAD']);
});

test('the cookie is bound to the service, and one that was forged or is over opens nothing', async (t) => {
  const origin = 'https://panel.example.com';
  const panel = await openPanel(t, { VAUBAN_PUBLIC_URL: origin });
  const { db } = panel.services;
  const { browser } = await (async () => {
    const { personId } = await newPerson(panel, {
      place: { accountId: await newAccount(panel), role: 'owner' },
    });
    const { issueMailToken } = await import('../../server/domain/people/mail-tokens.ts');
    const link = { purpose: 'sign_in_link' as const, personId, email: 'link@example.com' };
    const { token } = await db.transaction((tx) => issueMailToken(tx, panel.services, link));
    const made = new TestBrowser(panel);
    const reply = await made.fetch('POST', '/sign-in/link', { body: { token }, headers: { origin } });
    const [line] = reply.headers.getSetCookie();
    assert.match(
      line!,
      /^__Host-vauban_session=[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    return { browser: made };
  })();
  const ask = async (cookie: string) => {
    const headers = { cookie, origin, 'sec-fetch-site': 'same-origin' };
    return (await fetch(`${panel.baseUrl}/panel/api/session`, { headers })).status;
  };
  const good = browser.cookie!;
  const value = good.split('=')[1]!;
  assert.equal(await ask(good), 200);
  // Under another name the cookie is not ours: any subdomain could have set it.
  assert.equal(await ask(`vauban_session=${value}`), 401);
  assert.equal(await ask(`${good}; ${good}`), 401, 'of two it cannot be said which');
  // Not its last character, of which some bits are always zero: one in 256 values would be the same.
  assert.equal(await ask(`__Host-vauban_session=${value[0] === 'A' ? 'B' : 'A'}${value.slice(1)}`), 401);
  assert.equal(await ask(`__Host-vauban_session=${'A'.repeat(54)}`), 401);
  // Sessions last seven days without use, and thirty days with it.
  for (let day = 0; day < 29; day++) {
    panel.clock.advance(86_400_000);
    assert.equal(await ask(good), 200);
  }
  panel.clock.advance(86_400_001);
  assert.equal(await ask(good), 401);
});
