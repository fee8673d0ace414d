import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { call } from '../operator/support.ts';
import { Authenticator } from '../panel/support/authenticator.ts';
import { mailsTo, newAccount, newPerson, openPanel, TestBrowser } from '../panel/support/panel.ts';
import {
  codeOf,
  enrolledOperator,
  linkedOperator,
  newOperator,
  operatorBrowser,
  PASSWORD,
} from './support/operator.ts';

const MINUTE = 60_000;

test('a link signs an operator in once, to choose a second factor; only then is anything shown', async (t) => {
  const panel = await openPanel(t);
  const { email, token } = await newOperator(panel);
  const browser = operatorBrowser(panel);
  const reply = await browser.fetch('POST', '/sign-in/link', { body: { token } });
  assert.equal(reply.status, 200);
  assert.match(
    reply.headers.getSetCookie()[0]!,
    /^vauban_operator=[\w-]+; Path=\/operator; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(
    (await operatorBrowser(panel).ask('POST', '/sign-in/link', { body: { token } })).error?.code,
    'link_invalid',
  );
  const refused = await browser.ask('GET', '/accounts');
  assert.deepEqual([refused.status, refused.error?.code], [403, 'second_factor_required']);
  // An app without a password would not be enough to sign in again.
  const { secret } = await browser.ok('POST', '/person/totp', { body: {} });
  await browser.ok('POST', '/person/totp/confirm', { body: { code: codeOf(panel, secret) } });
  assert.equal((await browser.ask('GET', '/accounts')).error?.code, 'second_factor_required');
  await browser.ok('POST', '/person/password', { body: { password: PASSWORD } });
  assert.equal((await browser.ok('GET', '/accounts')).length, 1);
  const mails = await mailsTo(panel, email);
  assert.deepEqual(
    mails.map(({ template }) => template),
    ['security_change', 'security_change'],
  );
  assert.match(mails[1]!.values.url!, /\/operator\/security$/);
});

test('a later sign-in takes a password and a code, and each code works once', async (t) => {
  const panel = await openPanel(t);
  const { email, secret, recoveryCodes } = await enrolledOperator(panel);
  const signIn = async (password: string) => {
    const browser = operatorBrowser(panel);
    return { browser, answer: await browser.ask('POST', '/sign-in', { body: { email, password } }) };
  };
  assert.equal((await signIn('eight loud badgers')).answer.error?.code, 'sign_in_failed');
  const { browser, answer } = await signIn(PASSWORD);
  assert.equal(answer.data.next, 'second_factor');
  assert.equal((await browser.ask('GET', '/accounts')).error?.code, 'session_required', 'half is nothing');
  const used = codeOf(panel, secret);
  assert.equal((await browser.ask('POST', '/sign-in/second-factor', { body: { code: used } })).status, 422);
  panel.clock.advance(31_000);
  await browser.ok('POST', '/sign-in/second-factor', { body: { code: codeOf(panel, secret) } });
  await browser.ok('GET', '/overview');
  const second = await signIn(PASSWORD);
  await second.browser.ok('POST', '/sign-in/recovery-code', { body: { code: recoveryCodes[0] } });
  await second.browser.ok('GET', '/overview');
  // Guessing is limited, and guesses in one realm do not count in the other.
  const third = await signIn(PASSWORD);
  for (let guess = 0; guess < 5; guess++)
    await third.browser.ask('POST', '/sign-in/second-factor', { body: { code: '000000' } });
  const bounded = await third.browser.ask('POST', '/sign-in/second-factor', {
    body: { code: codeOf(panel, secret) },
  });
  assert.equal(bounded.error?.code, 'rate_limit_exceeded');
  // Passwords on unknown devices are limited, too; a device that was signed in before is still let in.
  const strange = async () =>
    (
      await operatorBrowser(panel).ask('POST', '/sign-in', {
        body: { email, password: 'eight loud badgers' },
      })
    ).status;
  const statuses = new Set<number>();
  for (let guess = 0; guess < 11; guess++) statuses.add(await strange());
  assert.deepEqual([...statuses], [401, 429]);
  assert.match(browser.device ?? '', /^vauban_operator_device=/);
  panel.clock.advance(31_000);
  await browser.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  await browser.ok('POST', '/sign-in/second-factor', { body: { code: codeOf(panel, secret) } });
  await browser.ok('GET', '/overview');
});

test("neither a password without a second factor nor a customer's passkey signs an operator in", async (t) => {
  const panel = await openPanel(t);
  const { email, browser } = await linkedOperator(panel);
  await browser.ok('POST', '/person/password', { body: { password: PASSWORD } });
  const answer = await operatorBrowser(panel).ask('POST', '/sign-in', {
    body: { email, password: PASSWORD },
  });
  assert.equal(answer.error?.code, 'sign_in_failed');

  const key = new Authenticator(panel.baseUrl);
  const { options } = await browser.ok('POST', '/person/passkeys/options', { body: {} });
  await browser.ok('POST', '/person/passkeys', { body: { name: 'Desk', response: key.create(options) } });
  await browser.ok('GET', '/accounts');
  const back = operatorBrowser(panel);
  const asked = await back.ok('POST', '/sign-in/passkey/options', { body: {} });
  await back.ok('POST', '/sign-in/passkey', { body: { response: key.get(asked.options) } });
  await back.ok('GET', '/accounts');
  const last = await browser.ok('GET', '/person/passkeys');
  const removed = await browser.ask('DELETE', `/person/passkeys/${last[0].id}`, { body: {} });
  assert.equal(removed.error?.code, 'invalid_state', 'the only second factor stays');

  const customers = new TestBrowser(panel);
  const { options: theirs } = await customers.ok('POST', '/sign-in/passkey/options', { body: {} });
  const wrong = await customers.ask('POST', '/sign-in/passkey', { body: { response: key.get(theirs) } });
  assert.equal(wrong.error?.code, 'sign_in_failed', 'nor does an operator’s open the panel');
});

test('a session ends after half an hour of rest, and after twelve hours in any case', async (t) => {
  const panel = await openPanel(t);
  const { browser } = await enrolledOperator(panel);
  panel.clock.advance(31 * MINUTE);
  assert.equal((await browser.ask('GET', '/accounts')).status, 401);
  const { browser: busy } = await enrolledOperator(panel);
  panel.clock.advance(29 * MINUTE);
  assert.equal((await busy.ask('GET', '/overview')).status, 200);
  panel.clock.advance(29 * MINUTE);
  assert.equal((await busy.ask('GET', '/overview')).status, 200, 'use prolongs it');
  // As if the session had been used all day.
  await panel.services.db.query(sql`update sessions set last_seen_at = last_seen_at + interval '11 hours'`);
  panel.clock.advance(11 * 60 * MINUTE);
  assert.equal((await busy.ask('GET', '/overview')).status, 200);
  panel.clock.advance(3 * MINUTE);
  assert.equal((await busy.ask('GET', '/overview')).status, 401);
});

test('a new link takes all that there was, and a removed operator is out at once', async (t) => {
  const panel = await openPanel(t);
  const { email, browser } = await enrolledOperator(panel);
  const again = await call(panel.operatorSocket, 'POST', '/operators', { email });
  assert.equal(again.json().error.code, 'invalid_state');
  const first = await call(panel.operatorSocket, 'POST', '/operators/sign-in-link', { email });
  const second = await call(panel.operatorSocket, 'POST', '/operators/sign-in-link', { email });
  assert.equal((await browser.ask('GET', '/accounts')).status, 401);
  const body = { email, password: PASSWORD };
  assert.equal(
    (await operatorBrowser(panel).ask('POST', '/sign-in', { body })).error?.code,
    'sign_in_failed',
  );
  const use = async (reply: typeof first) => {
    const fresh = operatorBrowser(panel);
    const token = (reply.json().data.url as string).split('#')[1];
    return { fresh, answer: await fresh.ask('POST', '/sign-in/link', { body: { token } }) };
  };
  assert.equal((await use(first)).answer.error?.code, 'link_invalid', 'the later link ends the earlier');
  const { fresh } = await use(second);
  assert.equal((await fresh.ask('GET', '/accounts')).error?.code, 'second_factor_required');
  const removed = await call(panel.operatorSocket, 'POST', '/operators/remove', { email });
  assert.equal(removed.status, 200);
  assert.equal((await fresh.ask('GET', '/session')).status, 401);
  const listed = await call(panel.operatorSocket, 'GET', '/operators');
  assert.ok(!listed.text.includes(email));
  assert.equal((await call(panel.operatorSocket, 'POST', '/operators/sign-in-link', { email })).status, 404);
  assert.equal(
    (await call(panel.operatorSocket, 'POST', '/operators', { email })).status,
    200,
    'they may come back',
  );
});

test('customers and operators may share an address, and the store keeps operators out of accounts', async (t) => {
  const panel = await openPanel(t);
  const { db } = panel.services;
  const accountId = await newAccount(panel);
  const { email } = await newPerson(panel);
  await newOperator(panel, email);
  const [operator] = await db.query<{ id: string }>(
    sql`select id from people where email = ${email} and realm = 'operator'`,
  );
  await assert.rejects(
    db.query(sql`insert into memberships (id, person_id, account_id, role, created_at)
      values ('mbr_x', ${operator!.id}, ${accountId}, 'owner', now())`),
    /memberships_of_customers/,
  );
});

test("an operator's actions are on record under their address", async (t) => {
  const panel = await openPanel(t);
  const { email, browser } = await enrolledOperator(panel);
  const id = await newAccount(panel);
  panel.clock.advance(1_000);
  const made = await browser.ok('POST', `/accounts/${id}/adjustments`, {
    body: { amount: '5.00', type: 'credit', reason: 'goodwill' },
  });
  assert.equal(made.actor, email);
  const [entry] = await browser.ok('GET', '/log');
  assert.equal(entry.email, email);
  assert.equal(entry.ip, '127.0.0.1');
  assert.equal(entry.request, `POST /accounts/${id}/adjustments`);
  assert.equal(entry.status, 200);
  assert.equal(entry.uid, null);
  const found = await browser.ok('GET', `/accounts?search=${id}`);
  assert.deepEqual(
    found.map((account: { id: string }) => account.id),
    [id],
  );
  const page = await browser.ask('GET', '/accounts?limit=1');
  const next = await browser.ask('GET', `/accounts?limit=1&cursor=${page.pagination!.next_cursor}`);
  assert.equal(next.status, 200);
});
