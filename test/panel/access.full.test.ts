import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newAccount, newPerson, openPanel, signInAs, TestBrowser } from './support/panel.ts';

// Who may call which operation is in test/access/matrix.full.test.ts.

test('a request that another site made is refused, by each of the headers that betray it', async (t) => {
  const panel = await openPanel(t);
  const { browser } = await signInAs(panel, 'owner');
  // The check depends only on the method of an operation.
  for (const [method, path] of [
    ['GET', '/session'],
    ['POST', '/keys'],
    ['PUT', '/auto-top-up'],
    ['PATCH', '/person'],
    ['DELETE', '/session'],
  ] as const) {
    const isWrite = method !== 'GET';
    for (const headers of [
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      ...(isWrite ? [{ origin: undefined }, { 'sec-fetch-site': 'none' }] : []),
    ]) {
      const { error } = await browser.ask(method, path, { headers, ...(isWrite && { body: '{' }) });
      assert.equal(error?.code, 'origin_not_allowed', `${method} ${path} ${JSON.stringify(headers)}`);
    }
  }
});

test('an unknown route says so to people who are signed in, and to no one else', async (t) => {
  const panel = await openPanel(t);
  const { browser } = await signInAs(panel, 'owner');
  assert.equal((await browser.ask('GET', '/nothing')).error?.code, 'not_found');
  assert.equal((await new TestBrowser(panel).ask('GET', '/nothing')).error?.code, 'session_required');
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
