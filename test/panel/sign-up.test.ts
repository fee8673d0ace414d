import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../server/db/database.ts';
import { VERSION } from '../support/source.ts';
import { linkIn, mailsTo, openPanel, TestBrowser } from './support/panel.ts';

const PASSWORD = 'seven quiet otters';

test('a person signs up, in and out, with a second factor, and gets back in without a password', async (t) => {
  const panel = await openPanel(t);
  const { clock } = panel;
  const browser = new TestBrowser(panel);
  const email = 'anna@example.com';
  const signUp = { email, password: PASSWORD, name: 'Anna', locale: 'de' };

  // Nobody is made before the address is known to be theirs.
  assert.deepEqual(await browser.ok('POST', '/sign-up', { body: signUp }), { next: 'verify_email' });
  const early = await browser.ask('POST', '/sign-in', { body: { email, password: PASSWORD } });
  assert.equal(early.error?.code, 'sign_in_failed');
  const [mail] = await mailsTo(panel, email);
  assert.equal(mail!.template, 'verify_email');
  const token = linkIn(mail!);
  await browser.ok('POST', '/verify-email', { body: { token } });
  const again = await browser.ask('POST', '/verify-email', { body: { token } });
  assert.equal(again.error?.code, 'link_invalid', 'a link is good once');

  await browser.ok('POST', '/sign-in', { body: { email: 'Anna@Example.com', password: PASSWORD } });
  const session = await browser.ok('GET', '/session');
  assert.deepEqual(
    [session.person.name, session.person.locale, session.role, session.account.name],
    ['Anna', 'de', 'owner', 'Anna'],
  );
  assert.ok(session.confirmed_until);
  assert.equal(session.version, VERSION);

  // The second factor: asked for from now on, each code once.
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

  // What is dangerous needs a fresh proof.
  clock.advance(11 * 60_000);
  const stale = await browser.ask('DELETE', '/person/totp');
  assert.equal(stale.error?.code, 'confirmation_required');
  const wrong = await browser.ask('POST', '/session/confirm', { body: { password: 'not the password' } });
  assert.match(wrong.error?.message ?? '', /^password: is wrong/);
  await browser.ok('POST', '/session/confirm', { body: { password: PASSWORD } });
  await browser.ok('DELETE', '/person/totp');

  // A new password by mail ends every session.
  await new TestBrowser(panel).ok('POST', '/password-reset', { body: { email } });
  const reset = (await mailsTo(panel, email)).findLast(({ template }) => template === 'reset_password');
  const choice = { token: linkIn(reset!), password: 'eight loud herons' };
  await browser.ok('POST', '/password-reset/complete', { body: choice });
  assert.equal((await browser.ask('GET', '/session')).status, 401);
  const twice = await browser.ask('POST', '/password-reset/complete', { body: choice });
  assert.equal(twice.error?.code, 'link_invalid');
  const old = await browser.ask('POST', '/sign-in', { body: { email, password: PASSWORD } });
  assert.equal(old.status, 401);
  await browser.ok('POST', '/sign-in', { body: { email, password: choice.password } });

  // Elsewhere it is mailed.
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
  // No secret is stored as it is.
  const rows = await panel.services.db.query(sql`select * from totps`);
  assert.ok(!JSON.stringify(rows).includes(secret));
});
