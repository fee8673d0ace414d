import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../server/db/database.ts';
import { findPersonByEmail } from '../../server/db/queries/access/people.ts';
import { VERSION } from '../support/source.ts';
import { linkIn, mailsTo, newAccount, newLink, openPanel, signInAs, TestBrowser } from './support/panel.ts';

const PASSWORD = 'seven quiet otters';

test('a person signs up, in and out, with a second factor, and gets back in without a password', async (t) => {
  const panel = await openPanel(t);
  const { clock } = panel;
  const browser = new TestBrowser(panel);
  const email = 'anna@example.com';
  // The person who requests the link cannot choose the password.
  const refused = await browser.ask('POST', '/sign-up', { body: { email, password: PASSWORD } });
  assert.equal(refused.error?.code, 'validation_failed');
  assert.deepEqual(await browser.ok('POST', '/sign-up', { body: { email, locale: 'de' } }), {});
  const [mail] = await mailsTo(panel, email);
  assert.deepEqual([mail!.template, mail!.locale], ['verify_email', 'de']);
  const token = linkIn(mail!);
  // Reading the link creates no one, and the link does not work for a change of address.
  for (let twice = 0; twice < 2; twice++) {
    const { expires_at, ...shown } = await browser.ok('POST', '/links/show', { body: { token } });
    assert.deepEqual(shown, { purpose: 'sign_up', email, own: null });
    assert.equal(Date.parse(expires_at) - clock.now().getTime(), 86_400_000);
  }
  const wrongUse = await browser.ask('POST', '/verify-email', { body: { token } });
  assert.deepEqual(wrongUse.error?.details, { reason: 'unknown' });
  assert.equal(await findPersonByEmail(panel.services.db, email), undefined);
  const complete = { token, password: PASSWORD, name: 'Anna', locale: 'de' };
  const weak = await browser.ask('POST', '/sign-up/complete', { body: { ...complete, password: email } });
  assert.match(weak.error?.message ?? '', /^password: is too easy to guess/);
  assert.deepEqual(await browser.ok('POST', '/sign-up/complete', { body: complete }), { next: 'signed_in' });
  const again = await browser.ask('POST', '/sign-up/complete', { body: complete });
  assert.deepEqual(again.error?.details, { reason: 'used' }, 'a link works once');
  await browser.ok('DELETE', '/session');

  await browser.ok('POST', '/sign-in', { body: { email: 'Anna@Example.com', password: PASSWORD } });
  const session = await browser.ok('GET', '/session');
  assert.deepEqual(
    [session.person.name, session.person.locale, session.role, session.account.name],
    ['Anna', 'de', 'owner', 'Anna'],
  );
  assert.ok(session.confirmed_until);
  assert.equal(session.version, VERSION);

  // The second factor is required from now on, and each code works once.
  const { secret, uri } = await browser.ok('POST', '/person/totp');
  assert.match(uri, /^otpauth:\/\/totp\//);
  const code = () =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
  const { recovery_codes } = await browser.ok('POST', '/person/totp/confirm', { body: { code: code() } });
  assert.equal(recovery_codes.length, 10);
  const other = new TestBrowser(panel);
  const step = await other.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  assert.deepEqual(step, { next: 'second_factor' });
  assert.equal((await other.ask('GET', '/session')).status, 401, 'not signed in yet');
  const used = await other.ask('POST', '/sign-in/second-factor', { body: { code: code() } });
  assert.equal(used.error?.code, 'validation_failed', 'the code that confirmed it is used up');
  clock.advance(30_000);
  const before = other.cookie;
  await other.ok('POST', '/sign-in/second-factor', { body: { code: code() } });
  assert.notEqual(other.cookie, before, 'another secret than the one of before');
  assert.equal((await new TestBrowser(panel, before).ask('GET', '/session')).status, 401);
  const third = new TestBrowser(panel);
  await third.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  await third.ok('POST', '/sign-in/recovery-code', { body: { code: recovery_codes[0].toUpperCase() } });
  await third.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  const replayed = await third.ask('POST', '/sign-in/recovery-code', { body: { code: recovery_codes[0] } });
  assert.equal(replayed.error?.code, 'validation_failed');

  // Dangerous operations require a recent sign-in.
  clock.advance(11 * 60_000);
  const stale = await browser.ask('DELETE', '/person/totp');
  assert.equal(stale.error?.code, 'confirmation_required');
  const wrong = await browser.ask('POST', '/session/confirm', { body: { password: 'not the password' } });
  assert.match(wrong.error?.message ?? '', /^password: is wrong/);
  await browser.ok('POST', '/session/confirm', { body: { password: PASSWORD } });
  await browser.ok('DELETE', '/person/totp');

  // A password reset by mail ends every session.
  await new TestBrowser(panel).ok('POST', '/password-reset', { body: { email } });
  const reset = (await mailsTo(panel, email)).findLast(({ template }) => template === 'reset_password');
  const choice = { token: linkIn(reset!), password: 'eight loud herons' };
  const ended = await browser.ok('POST', '/password-reset/complete', { body: choice });
  assert.deepEqual(ended, { ended_sessions: 2, revoked_keys: 0 });
  assert.equal((await browser.ask('GET', '/session')).status, 401);
  const twice = await browser.ask('POST', '/password-reset/complete', { body: choice });
  assert.equal(twice.error?.code, 'link_invalid');
  const old = await browser.ask('POST', '/sign-in', { body: { email, password: PASSWORD } });
  assert.equal(old.status, 401);
  await browser.ok('POST', '/sign-in', { body: { email, password: choice.password } });

  // On another device a mail is required.
  clock.advance(1000);
  const phone = new TestBrowser(panel);
  const headers = { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile) Firefox/150.0' };
  await phone.ok('POST', '/sign-in', { body: { email, password: choice.password }, headers });
  const device = (await mailsTo(panel, email)).findLast(({ template }) => template === 'new_device');
  assert.equal(device?.values.device, 'Firefox, Android');
  const sessions = await phone.ok('GET', '/sessions');
  assert.deepEqual(
    sessions.map(({ current }: { current: boolean }) => current),
    [true, false],
  );
  await phone.ok('DELETE', `/sessions/${sessions[1].id}`);
  assert.equal((await browser.ask('GET', '/session')).status, 401);
  // No secret is stored in plain text.
  const rows = await panel.services.db.query(sql`select * from totps`);
  assert.ok(!JSON.stringify(rows).includes(secret));
});

test('of two sign-ups with one address the first completed one wins', async (t) => {
  const panel = await openPanel(t);
  const [stranger, owner] = [new TestBrowser(panel), new TestBrowser(panel)];
  const email = 'anna@example.com';
  for (const browser of [stranger, owner]) await browser.ok('POST', '/sign-up', { body: { email } });
  const [first, second] = (await mailsTo(panel, email)).map(linkIn);
  await owner.ok('POST', '/sign-up/complete', { body: { token: second, password: PASSWORD } });
  for (const [path, body] of [
    ['/links/show', { token: first }],
    ['/sign-up/complete', { token: first, password: PASSWORD }],
  ] as const)
    assert.deepEqual((await stranger.ask('POST', path, { body })).error?.details, { reason: 'taken' });
});

test('a link says why it does not work, and whose it is', async (t) => {
  const panel = await openPanel(t);
  const { browser, email, personId } = await signInAs(panel, 'owner');
  const { browser: other } = await signInAs(panel, 'owner');
  const show = (from: TestBrowser, token: string) => from.ask('POST', '/links/show', { body: { token } });
  await other.ok('POST', '/password-reset', { body: { email } });
  const token = linkIn((await mailsTo(panel, email)).at(-1)!);
  const owns = [];
  for (const from of [browser, other, new TestBrowser(panel)]) owns.push((await show(from, token)).data.own);
  assert.deepEqual(owns, [true, false, null]);
  const operators = new TestBrowser(panel, undefined, '/operator/api');
  assert.deepEqual(
    (await show(operators, token)).error?.details,
    { reason: 'unknown' },
    'it is a customer’s',
  );
  panel.clock.advance(3_600_000);
  assert.deepEqual((await show(browser, token)).error?.details, { reason: 'expired' });
  assert.deepEqual((await show(browser, `${token}x`)).error?.details, { reason: 'unknown' });
  const another = await newLink(panel, { purpose: 'reset_password', personId, email });
  await other.ok('POST', '/password-reset/complete', { body: { token: another, password: PASSWORD } });
  assert.deepEqual((await show(other, another)).error?.details, { reason: 'used' });
});

test('a password reset revokes the API keys that the person had, if they choose so', async (t) => {
  const panel = await openPanel(t);
  const [own, shared] = [await newAccount(panel), await newAccount(panel)];
  const anna = await signInAs(panel, 'owner', own);
  const ben = await signInAs(panel, 'owner', shared);
  const made = async (from: TestBrowser, label: string) =>
    (await from.ok('POST', '/keys', { body: { label, scopes: ['vm:read'] } })).secret as string;
  const secrets: Record<string, string> = {
    own: await made(anna.browser, 'own'),
    bens: await made(ben.browser, 'bens'),
  };
  // A colleague's key in Anna's account, and Anna's key in another owner's account.
  const colleague = await signInAs(panel, 'operator', own);
  secrets.colleagues = await made(colleague.browser, 'colleagues');
  await ben.browser.ok('POST', '/members', { body: { email: anna.email, role: 'operator' } });
  const invitation = linkIn((await mailsTo(panel, anna.email)).at(-1)!);
  await anna.browser.ok('POST', '/invitations/accept', { body: { token: invitation } });
  secrets.elsewhere = await made(anna.browser, 'elsewhere');
  const working = async () => {
    const works = [];
    for (const [name, secret] of Object.entries(secrets)) {
      const headers = { authorization: `Bearer ${secret}` };
      if ((await fetch(`${panel.baseUrl}/v1/vm`, { headers })).status === 200) works.push(name);
    }
    return works.sort();
  };
  const reset = async (choice: object) => {
    const { personId, email } = anna;
    const token = await newLink(panel, { purpose: 'reset_password', personId, email });
    const body = { token, password: PASSWORD, ...choice };
    const ended = await new TestBrowser(panel).ok('POST', '/password-reset/complete', { body });
    panel.clock.advance(1_000);
    return ended;
  };
  assert.deepEqual(await reset({}), { ended_sessions: 1, revoked_keys: 0 });
  assert.equal((await working()).length, 4);
  assert.deepEqual(await reset({ revoke_keys: true }), { ended_sessions: 0, revoked_keys: 3 });
  assert.deepEqual(await working(), ['bens']);
  const entries = await ben.browser.ok<{ action: string }[]>('GET', '/audit');
  assert.ok(
    entries.some(({ action }) => action === 'key.revoked'),
    'the owner of the account sees it',
  );
});
