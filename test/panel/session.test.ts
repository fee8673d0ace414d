import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operate } from '../chaos/support/customer.ts';
import { newAccount, openPanel, signInAs, TestBrowser } from './support/panel.ts';

test('a link signs its person in once, and the session has the permissions of the role', async (t) => {
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
  // Signing out ends the session for good and removes the cookie.
  const { cookie } = browser;
  await browser.ok('DELETE', '/session');
  assert.equal(browser.cookie, undefined);
  const stale = await new TestBrowser(panel, cookie).ask('GET', '/session');
  assert.deepEqual([stale.status, stale.error?.code], [401, 'session_required']);
});

test('the operator signs people in with a link: the first of an account, and those who lost their factors', async (t) => {
  const panel = await openPanel(t);
  const accountId = await newAccount(panel);
  const email = 'anna@example.com';
  const ask = (body: object) => operate(panel, '/people/sign-in-link', body);
  await assert.rejects(ask({ email }), /not_found/, 'nobody is made without an account to be in');
  for (let round = 0; round < 2; round++) {
    const { url } = await ask({ email, account_id: accountId });
    const link = new URL(url);
    assert.deepEqual(
      [link.origin, link.pathname],
      [panel.baseUrl.replace('127.0.0.1', 'localhost'), '/panel/sign-in/link'],
    );
    const browser = new TestBrowser(panel);
    await browser.ok('POST', '/sign-in/link', { body: { token: link.hash.slice(1) } });
    const session = await browser.ok('GET', '/session');
    assert.deepEqual([session.person.email, session.account.id, session.role], [email, accountId, 'owner']);
  }
});
