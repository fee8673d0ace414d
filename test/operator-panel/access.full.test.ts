import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { SOCKET_ONLY } from '../../server/http/operator-panel/reach.ts';
import { openPanel, TestBrowser } from '../panel/support/panel.ts';
import { enrolledOperator } from './support/operator.ts';

// Who may call which operation is in test/access/matrix.full.test.ts.

test('operations only for the machine are operations', () => {
  const names = OPERATOR_ENDPOINTS.map(({ operation }) => operation);
  assert.deepEqual(
    Object.keys(SOCKET_ONLY).filter((name) => !names.includes(name)),
    [],
  );
});

test("an operator's session is none of the panel, and of no other site that a browser names", async (t) => {
  const panel = await openPanel(t);
  const { browser: operator } = await enrolledOperator(panel);
  const unnamed = await new TestBrowser(panel, operator.cookie).ask('GET', '/session');
  assert.equal(unnamed.error?.code, 'session_required', 'by its own name, too');
  for (const [method, path] of [
    ['GET', '/session'],
    ['POST', '/session/confirm'],
    ['DELETE', '/session'],
  ] as const) {
    const headers = { 'sec-fetch-site': 'same-site' };
    const { error } = await operator.ask(method, path, { headers, ...(method !== 'GET' && { body: '{' }) });
    assert.equal(error?.code, 'origin_not_allowed', `${method} ${path}`);
  }
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
