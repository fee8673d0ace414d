import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from '../../server/access/passwords.ts';
import { sql } from '../../server/db/database.ts';
import { updatePerson } from '../../server/db/queries/access/people.ts';
import { linkIn, mailsTo, newPerson, openPanel, type Panel, TestBrowser } from './support/panel.ts';

const PASSWORD = 'seven quiet otters';
const HOUR_MS = 3_600_000;

/** Ten networks, IPv4 and IPv6. A /64 is one network, whichever address sends the request. */
const NETWORKS = Array.from(
  { length: 10 },
  (_, index) => (attempt: number) =>
    index % 2 === 0 ? `203.0.113.${index + 1}` : `2001:db8:0:${index}::${attempt + 1}`,
);

const from = (ip: string) => ({ 'x-forwarded-for': ip });

async function ownerWithPassword(panel: Panel): Promise<{ email: string; personId: string }> {
  const { db } = panel.services;
  const person = await newPerson(panel);
  const hash = await new Passwords().hash(PASSWORD);
  await db.transaction((tx) => updatePerson(tx, person.personId, { password_hash: hash }));
  return person;
}

const signIn = (browser: TestBrowser, email: string, ip: string, password = PASSWORD) =>
  browser.ask('POST', '/sign-in', { body: { email, password }, headers: from(ip) });

/** Guesses until no more attempts are checked; returns how many were. */
async function guess(panel: Panel, email: string): Promise<number> {
  let checked = 0;
  for (const network of NETWORKS)
    for (let attempt = 0; attempt < 11; attempt++) {
      const { status } = await signIn(new TestBrowser(panel), email, network(attempt), 'not the password');
      assert.ok(status === 401 || status === 429, `${status}`);
      if (status === 401) checked++;
    }
  return checked;
}

test('strangers in ten networks cannot keep an owner out', async (t) => {
  const panel = await openPanel(t, { VAUBAN_TRUST_PROXY: '127.0.0.1' });
  const { email } = await ownerWithPassword(panel);
  const laptop = new TestBrowser(panel);
  assert.equal((await signIn(laptop, email, '198.51.100.1')).status, 200);
  assert.match(laptop.device ?? '', /^vauban_device=/);
  await laptop.ok('DELETE', '/session');
  const checked = await guess(panel, email);
  assert.ok(checked <= 50, `${checked} attempts of strangers were looked at within an hour`);

  // A device that was signed in before can sign in from anywhere, even from an attacker's network.
  for (const ip of ['198.51.100.1', '192.0.2.77', NETWORKS[0]!(0), NETWORKS[1]!(0)])
    assert.equal((await signIn(laptop, email, ip)).status, 200, ip);
  // An unknown device gets instructions, even if its password is right.
  const phone = new TestBrowser(panel);
  const refused = await signIn(phone, email, '192.0.2.78');
  assert.deepEqual([refused.status, refused.error?.details?.policy], [429, 'unknown_device']);
  assert.match(refused.error!.message, /a device that you have signed in on before, or reset your password/);
  // The mail lets the device sign in, and the account knows the device from then on.
  await phone.ok('POST', '/password-reset', { body: { email }, headers: from('192.0.2.78') });
  const choice = { token: linkIn((await mailsTo(panel, email)).at(-1)!), password: 'eight loud herons' };
  await phone.ok('POST', '/password-reset/complete', { body: choice, headers: from('192.0.2.78') });
  assert.equal((await signIn(phone, email, '192.0.2.78', choice.password)).status, 200);
  // A new password makes the other devices unknown, just as it ends their sessions.
  assert.equal((await signIn(laptop, email, '198.51.100.1', choice.password)).status, 429);
  panel.clock.advance(HOUR_MS);
  assert.equal((await signIn(laptop, email, '198.51.100.1', choice.password)).status, 200);
});

test('a device is known to its person only, and to no other realm', async (t) => {
  const panel = await openPanel(t, { VAUBAN_TRUST_PROXY: '127.0.0.1' });
  const [victim, thief] = [await ownerWithPassword(panel), await ownerWithPassword(panel)];
  const browser = new TestBrowser(panel);
  await signIn(browser, thief.email, '198.51.100.9');
  const own = browser.device!;
  await guess(panel, victim.email);
  assert.equal((await signIn(browser, victim.email, '198.51.100.9')).status, 429);
  // A browser that two people share is known to both.
  panel.clock.advance(HOUR_MS);
  assert.equal((await signIn(browser, victim.email, '198.51.100.9')).status, 200);
  assert.notEqual(browser.device, own, 'what a browser brought is never made the secret of somebody else');
  await guess(panel, victim.email);
  await guess(panel, thief.email);
  for (const { email } of [victim, thief])
    assert.equal((await signIn(browser, email, '198.51.100.9')).status, 200);
  // An invented secret, or a truncated one, belongs to no one.
  for (const device of [`vauban_device=${'A'.repeat(54)}`, browser.device!.slice(0, -3)]) {
    const forger = new TestBrowser(panel);
    forger.device = device;
    assert.equal((await signIn(forger, victim.email, '198.51.100.9')).status, 429);
  }
  // A known device has its own limit of guesses.
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt++)
    statuses.push((await signIn(browser, victim.email, '198.51.100.9', 'not the password')).status);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
  assert.equal((await signIn(browser, thief.email, '198.51.100.9')).status, 200);
});

test('a device that was not used for half a year is a stranger, and an account knows ten', async (t) => {
  const panel = await openPanel(t, { VAUBAN_TRUST_PROXY: '127.0.0.1' });
  const { email } = await ownerWithPassword(panel);
  const browsers: TestBrowser[] = [];
  for (let count = 0; count < 11; count++) {
    panel.clock.advance(60_000);
    const browser = new TestBrowser(panel);
    assert.equal((await signIn(browser, email, `198.51.100.${count}`)).status, 200);
    browsers.push(browser);
  }
  await guess(panel, email);
  assert.equal((await signIn(browsers[0]!, email, '192.0.2.1')).status, 429, 'the oldest made way');
  assert.equal((await signIn(browsers[1]!, email, '192.0.2.1')).status, 200);
  panel.clock.advance(181 * 24 * HOUR_MS);
  await guess(panel, email);
  assert.equal((await signIn(browsers[1]!, email, '192.0.2.1')).status, 429);
});

test('strangers cannot use up the mails of an address', async (t) => {
  const panel = await openPanel(t, { VAUBAN_TRUST_PROXY: '127.0.0.1' });
  const { email } = await ownerWithPassword(panel);
  const resets = async () =>
    (await mailsTo(panel, email)).filter(({ template }) => template === 'reset_password');
  const ask = async (ip: string, browser = new TestBrowser(panel)) => {
    const before = (await resets()).length;
    await browser.ok('POST', '/password-reset', { body: { email }, headers: from(ip) });
    return (await resets()).length > before;
  };
  const laptop = new TestBrowser(panel);
  assert.equal((await signIn(laptop, email, '198.51.100.1')).status, 200);
  // Strangers request resets from ten networks, every five minutes for three hours.
  for (let round = 0; round < 36; round++) {
    panel.clock.advance(5 * 60_000);
    for (const network of NETWORKS) {
      const headers = from(network(round));
      await new TestBrowser(panel).ask('POST', '/password-reset', { body: { email }, headers });
    }
  }
  const sent = (await resets()).length;
  assert.ok(sent >= 6 && sent <= 6 + 4, `${sent} mails in three hours`);
  // Another device gets a new mail, or has one whose link is valid for at least 15 minutes.
  const [newest] = await panel.services.db.query<{ expires_at: Date }>(
    sql`select expires_at from mail_tokens where purpose = 'reset_password' order by expires_at desc limit 1`,
  );
  const left = newest!.expires_at.getTime() - panel.clock.now().getTime();
  assert.equal((await ask('192.0.2.6')) || left >= 15 * 60_000, true);
  // A known device always gets one immediately.
  for (let round = 0; round < 5; round++) assert.equal(await ask('192.0.2.5', laptop), true);
  // Mails about a sign-up are counted separately.
  const body = { email: 'newcomer@example.com' };
  for (const network of NETWORKS) {
    const asked = { body: { email: body.email }, headers: from(network(0)) };
    await new TestBrowser(panel).ask('POST', '/password-reset', asked);
  }
  await new TestBrowser(panel).ok('POST', '/sign-up', { body, headers: from('192.0.2.7') });
  assert.equal((await mailsTo(panel, body.email)).length, 1);
});
