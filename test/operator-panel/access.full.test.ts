import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { OPERATOR_SIGN_IN } from '../../server/endpoints/panel/operator-sign-in.ts';
import { SOCKET_ONLY } from '../../server/http/operator-panel/reach.ts';
import { openPanel, signInAs, TestBrowser } from '../panel/support/panel.ts';
import { enrolledOperator, linkedOperator, operatorBrowser } from './support/operator.ts';

/**
 * Permissions on the operator's pages, determined by trying. After an intended change, generate the file again and have
 * it reviewed: WRITE_ACCESS_MATRIX=1 npm test -- test/operator-panel/access.full.test.ts --db pglite
 */
const FILE = join(import.meta.dirname, 'access-matrix.txt');
const named = <E extends { method: string; path: string; operation: string }>({
  operation,
  method,
  path,
}: E) => ({
  operation,
  method,
  path: path.replace(/\{\w+\}/g, 'vm_00000000000000000000000000'),
  name: `${method.padEnd(6)} ${path}`,
});
const OPERATIONS = [...OPERATOR_SIGN_IN.map(named), ...OPERATOR_ENDPOINTS.map(named)];
/** Replies of operations that let a caller in, to a request for an absent object with an invalid body. */
const LET_IN = [
  'ok',
  'not_found',
  'validation_failed',
  'invalid_json',
  'invalid_state',
  'compute_unavailable',
];
const SIGNS: Record<string, string> = {
  session_required: '.',
  second_factor_required: '2',
  confirmation_required: 'c',
};

/** The headers that a browser adds to a request from another site's page. */
const FOREIGN = { origin: 'https://evil.example' };

type Operation = ReturnType<typeof named>;

/** Sends a request without an effect: an operation that changes something gets an unreadable body. */
async function knock(browser: TestBrowser, { method, path }: Operation, headers = {}): Promise<string> {
  const kept = browser.cookie;
  const reply = await browser.fetch(method, path, { ...(method !== 'GET' && { body: '{' }), headers });
  browser.cookie = kept;
  assert.equal(reply.headers.get('cache-control'), 'no-store', path);
  if (!reply.ok) return ((await reply.json()) as { error: { code: string } }).error.code;
  await reply.body?.cancel();
  return 'ok';
}

test('each operation of the operator asks for a session, a second factor, and a recent proof', async (t) => {
  const panel = await openPanel(t);
  const stale = (await enrolledOperator(panel)).browser;
  panel.clock.advance(11 * 60_000);
  const columns = {
    stranger: operatorBrowser(panel),
    linked: (await linkedOperator(panel)).browser,
    stale,
    fresh: (await enrolledOperator(panel)).browser,
  };
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const lines = [`${''.padEnd(48)}${names.map((name) => name.padEnd(9)).join('')}`.trimEnd()];
  for (const operation of OPERATIONS) {
    const isLocal = Object.hasOwn(SOCKET_ONLY, operation.operation);
    const cells = [];
    for (const name of names) {
      const code = await knock(columns[name], operation);
      const isNothing = code === 'not_found' || code === 'method_not_allowed';
      const sign = isLocal && isNothing ? '-' : (SIGNS[code] ?? 'x');
      assert.ok(sign !== 'x' || LET_IN.includes(code), `${operation.name} for ${name}: ${code}`);
      cells.push(sign.padEnd(9));
    }
    lines.push(`${operation.name.padEnd(48)}${cells.join('')}`.trimEnd());
  }
  const found = `${lines.join('\n')}\n`;
  if (process.env.WRITE_ACCESS_MATRIX) await writeFile(FILE, found);
  assert.equal(found, await readFile(FILE, 'utf8'));
});

test('operations only for the machine are in the roster, and no session reaches them', async (t) => {
  const panel = await openPanel(t);
  const { browser } = await enrolledOperator(panel);
  for (const name of Object.keys(SOCKET_ONLY)) {
    const endpoint = OPERATOR_ENDPOINTS.find(({ operation }) => operation === name);
    assert.ok(endpoint, `${name} is an operation`);
    const code = await knock(browser, named(endpoint));
    assert.ok(['not_found', 'method_not_allowed'].includes(code), `${name}: ${code}`);
  }
});

test("customers and operators never reach each other's operations, with any credentials", async (t) => {
  const panel = await openPanel(t);
  const { browser: customer } = await signInAs(panel, 'owner');
  const { browser: operator } = await enrolledOperator(panel);
  const { secret } = await customer.ok('POST', '/keys', { body: { label: 'all', scopes: ['vm:read'] } });
  const authorization = `Bearer ${secret}`;
  const tokenOf = ({ cookie }: TestBrowser) => cookie!.split('=')[1]!;
  const asOperator = `vauban_operator=${tokenOf(customer)}`;
  const asCustomer = `vauban_session=${tokenOf(operator)}`;
  const isPublic = new Set(
    OPERATOR_SIGN_IN.filter(({ access }) => access === 'public').map(({ operation }) => operation),
  );
  const isClosed = ({ operation }: Operation) => !isPublic.has(operation);
  const asStranger = (operation: Operation, headers: object) =>
    knock(operatorBrowser(panel), operation, headers);
  for (const operation of OPERATIONS.filter(isClosed)) {
    assert.equal(await asStranger(operation, { cookie: asOperator }), 'session_required', operation.name);
    assert.equal(await knock(operator, operation, FOREIGN), 'origin_not_allowed', operation.name);
    panel.clock.advance(500);
  }
  // The common gate considers only the method of an operation.
  const byMethod = new Map(OPERATIONS.filter(isClosed).map((operation) => [operation.method, operation]));
  for (const operation of byMethod.values()) {
    for (const headers of [{ authorization }, { cookie: customer.cookie }])
      assert.equal(await asStranger(operation, headers), 'session_required', JSON.stringify(headers));
    const sameSite = { 'sec-fetch-site': 'same-site' };
    assert.equal(await knock(operator, operation, sameSite), 'origin_not_allowed', operation.name);
  }
  const publicOnes = new Set(
    PANEL_ENDPOINTS.filter(({ access }) => access === 'public').map(({ operation }) => operation),
  );
  for (const endpoint of [...PANEL_ENDPOINTS, ...ENDPOINTS]) {
    if (publicOnes.has(endpoint.operation)) continue;
    const code = await knock(new TestBrowser(panel), named(endpoint), { cookie: asCustomer });
    assert.equal(code, 'session_required', endpoint.operation);
    panel.clock.advance(500);
  }
  const unnamed = await new TestBrowser(panel, operator.cookie).ask('GET', '/session');
  assert.equal(unnamed.error?.code, 'session_required', 'by its own name, too');
});

test('the pages and their API exist only where they are enabled, and for the configured networks', async (t) => {
  const off = await openPanel(t, { VAUBAN_OPERATOR_PANEL: 'off' });
  for (const path of ['/operator', '/operator/', '/operator/accounts', '/operator/api/site'])
    assert.equal((await fetch(off.baseUrl + path)).status, 401, `${path} is no path of anything`);
  const far = await openPanel(t, {
    VAUBAN_OPERATOR_PANEL_NETWORKS: '203.0.113.0/24',
    VAUBAN_TRUST_PROXY: '127.0.0.1',
  });
  const ask = async (path: string, from: string) => {
    const headers = { 'x-forwarded-for': from, accept: 'text/html' };
    return (await fetch(far.baseUrl + path, { headers })).status;
  };
  for (const path of ['/operator/accounts', '/operator/api/site']) {
    assert.equal(await ask(path, '198.51.100.7'), 404, path);
    assert.notEqual(await ask(path, '203.0.113.7'), 404, path);
  }
});
