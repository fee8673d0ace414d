import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPanel, signInAs, TestBrowser } from './support/panel.ts';

test('a link signs its person in once, and the session does what the role may', async (t) => {
  const panel = await openPanel(t);
  const { browser, accountId, email } = await signInAs(panel, 'owner');
  const session = await browser.ok('GET', '/session');
  assert.equal(session.person.email, email);
  assert.equal(session.account.id, accountId);
  assert.equal(session.account.role, 'owner');
  assert.deepEqual(await browser.ok('GET', '/v1/vm'), []);
  const { browser: viewer } = await signInAs(panel, 'viewer', accountId);
  assert.deepEqual(await viewer.ok('GET', '/v1/vm'), []);
  const refused = await viewer.ask('POST', '/v1/vm/sshkeys', { body: {} });
  assert.equal(refused.error?.code, 'role_required');
  // Signing out is for good, and takes the cookie away.
  const { cookie } = browser;
  await browser.ok('DELETE', '/session');
  assert.equal(browser.cookie, undefined);
  const stale = await new TestBrowser(panel, cookie).ask('GET', '/session');
  assert.deepEqual([stale.status, stale.error?.code], [401, 'session_required']);
});
