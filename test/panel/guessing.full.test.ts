import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { Passwords } from '../../server/access/passwords.ts';
import { updatePerson } from '../../server/db/queries/access/people.ts';
import {
  type Answer,
  mailsTo,
  newLink,
  newPerson,
  openPanel,
  signInAs,
  TestBrowser,
} from './support/panel.ts';

const PASSWORD = 'seven quiet otters';

test('no reply reveals whether an address is known, and guesses are limited', async (t) => {
  const panel = await openPanel(t, { VAUBAN_TRUST_PROXY: '127.0.0.1' });
  const { db } = panel.services;
  const { personId, email } = await newPerson(panel, { email: 'anna@example.com' });
  const hash = await new Passwords().hash(PASSWORD);
  await db.transaction((tx) => updatePerson(tx, personId, { password_hash: hash }));
  const stranger = new TestBrowser(panel);
  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  const seen = ({ status, data, error }: Answer<unknown>) => ({ status, data, error });

  // Every sign-in request, for a known address and for an unknown one.
  const bodies: [string, (address: string) => object][] = [
    ['/sign-in', (address) => ({ email: address, password: 'not the password' })],
    ['/sign-up', (address) => ({ email: address })],
    ['/password-reset', (address) => ({ email: address })],
  ];
  for (const [path, body] of bodies) {
    const headers = from('203.0.113.1');
    const known = await stranger.ask('POST', path, { body: body(email), headers });
    const unknown = await stranger.ask('POST', path, { body: body('nobody@example.com'), headers });
    assert.deepEqual(seen(known), seen(unknown), path);
    assert.equal(known.headers.get('set-cookie'), null);
  }
  const mails = await mailsTo(panel, email);
  assert.deepEqual(mails.map(({ template }) => template).sort(), ['already_signed_up', 'reset_password']);

  // A network that guesses is blocked; its victim can still sign in from elsewhere.
  const attempt = (ip: string, password: string) =>
    new TestBrowser(panel).ask('POST', '/sign-in', { body: { email, password }, headers: from(ip) });
  for (let guess = 0; guess < 9; guess++)
    assert.equal((await attempt('203.0.113.1', `guess number ${guess}`)).status, 401);
  const stopped = await attempt('203.0.113.1', PASSWORD);
  assert.deepEqual([stopped.status, stopped.error?.details?.policy], [429, 'attempts']);
  assert.equal(stopped.headers.get('retry-after'), '900');
  assert.equal((await attempt('198.51.100.7', PASSWORD)).status, 200);
  // An IPv6 /64 network counts as one, however many addresses it has.
  for (let guess = 0; guess < 10; guess++) await attempt(`2001:db8::${guess + 1}`, 'not the password');
  assert.equal((await attempt('2001:db8::ffff', PASSWORD)).status, 429);
  panel.clock.advance(15 * 60_000);
  assert.equal((await attempt('203.0.113.1', PASSWORD)).status, 200);
  // Strangers can trigger only a few mails, and do not learn when the limit is reached.
  for (let round = 0; round < 12; round++)
    await stranger.ok('POST', '/password-reset', { body: { email }, headers: from(`198.51.100.${round}`) });
  const asked = (await mailsTo(panel, email)).filter(({ template }) => template === 'reset_password');
  assert.equal(asked.length, 7);
  // A password is accepted as typed, unless it is too simple.
  const token = await newLink(panel, { purpose: 'verify_email', email: 'nobody@example.com' });
  for (const password of ['aaaaaaaaaaaa', 'nobody@example.com', '1234567890']) {
    const refused = await stranger.ask('POST', '/sign-up/complete', {
      body: { token, password },
      headers: from('192.0.2.9'),
    });
    assert.match(refused.error?.message ?? '', /^password: is too easy to guess/, password);
  }
});

test('codes of the second step can be guessed five times, by a caller who knows the password', async (t) => {
  const panel = await openPanel(t);
  const { db, clock } = panel.services;
  const { personId, email } = await newPerson(panel);
  const hash = await new Passwords().hash(PASSWORD);
  await db.transaction((tx) => updatePerson(tx, personId, { password_hash: hash }));
  const owner = new TestBrowser(panel);
  await owner.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  const { secret } = await owner.ok('POST', '/person/totp');
  const codes = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = () => codes.generate({ timestamp: clock.now().getTime() });
  await owner.ok('POST', '/person/totp/confirm', { body: { code: code() } });

  panel.clock.advance(15 * 60_000);
  const thief = new TestBrowser(panel);
  await thief.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  const guess = (body: object) => thief.ask('POST', '/sign-in/second-factor', { body });
  const right = code();
  const wrong = right.replace(/./g, (digit) => String((Number(digit) + 1) % 10));
  for (let attempt = 0; attempt < 5; attempt++)
    assert.equal((await guess({ code: wrong })).error?.code, 'validation_failed');
  const stopped = await guess({ code: right });
  assert.deepEqual([stopped.status, stopped.error?.details?.policy], [429, 'attempts']);
  // Signing in again or with a recovery code does not help either.
  await thief.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  assert.equal((await guess({ code: right })).status, 429);
  const recovery = await thief.ask('POST', '/sign-in/recovery-code', { body: { code: 'aaaa-bbbb' } });
  assert.equal(recovery.status, 429);
  // The limit does not lock out the owner on a device that the account knows.
  await owner.ok('POST', '/sign-in', { body: { email, password: PASSWORD } });
  await owner.ok('POST', '/sign-in/second-factor', { body: { code: right } });
});

test('an invitation does not reveal whether there is such a person', async (t) => {
  const panel = await openPanel(t);
  const { browser } = await signInAs(panel, 'owner');
  const { email: known } = await newPerson(panel);
  const seen: string[] = [];
  for (const email of [known, 'nobody-1@example.com']) {
    const { status, data } = await browser.ask('POST', '/members', { body: { email, role: 'viewer' } });
    const listed = await browser.ok<{ email: string }[]>('GET', '/members');
    const entry = listed.find((one) => one.email === email);
    seen.push(
      JSON.stringify([status, data, entry])
        .replaceAll(email, '')
        .replace(/mtk_\w+/g, ''),
    );
  }
  assert.equal(seen[0], seen[1]);
});

test('a person who may not sign up gets the reason', async (t) => {
  const panel = await openPanel(t, { VAUBAN_PANEL_SIGN_UP: 'closed' });
  const email = 'anna@example.com';
  // An older link works no more than a new one once sign-up is closed.
  const token = await newLink(panel, { purpose: 'verify_email', email });
  for (const [path, body] of [
    ['/sign-up', { email }],
    ['/sign-up/complete', { token, password: PASSWORD }],
  ] as const) {
    const refused = await new TestBrowser(panel).ask('POST', path, { body });
    assert.deepEqual([refused.status, refused.error?.code], [403, 'sign_up_closed']);
  }
});

test('passwords are hashed few at once, and too many that wait are turned away', async () => {
  const passwords = new Passwords();
  const stored = await passwords.hash(PASSWORD);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await passwords.verify(stored, PASSWORD), true);
  assert.equal(await passwords.verify(stored, `${PASSWORD} `), false);
  assert.equal(await passwords.verify(null, PASSWORD), false);
  // The same characters, composed and decomposed.
  assert.equal(
    await passwords.verify(await passwords.hash('über alle Berge'), 'u\u0308ber alle Berge'),
    true,
  );
  const many = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.verify(null, PASSWORD)));
  const refused = many.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  assert.deepEqual(refused, Array(6).fill('service_unavailable'));
  assert.equal(await passwords.verify(stored, PASSWORD), true, 'and the queue is empty again');
});
