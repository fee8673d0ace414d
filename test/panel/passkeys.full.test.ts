import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Authenticator } from './support/authenticator.ts';
import { mailsTo, openPanel, signInAs, TestBrowser } from './support/panel.ts';

test('a passkey signs in only its owner, once per challenge', async (t) => {
  const panel = await openPanel(t);
  // Browsers offer passkeys only for host names, and without https only for this one.
  const origin = panel.baseUrl.replace('127.0.0.1', 'localhost');
  const here = { baseUrl: origin };
  const { browser: owner, email } = await signInAs(panel, 'owner');
  const browser = new TestBrowser(here, owner.cookie);
  const key = new Authenticator(origin);
  const { options } = await browser.ok('POST', '/person/passkeys/options');
  assert.equal(options.rp.id, 'localhost');
  const add = (response: object) =>
    browser.ask('POST', '/person/passkeys', { body: { name: 'Laptop', response } });
  const invented = await add(key.create({ challenge: Buffer.from('of my own').toString('base64url') }));
  assert.match(invented.error?.message ?? '', /^response: is not a valid response of the passkey/);
  const made = key.create(options);
  const { data: passkey } = await add(made);
  assert.equal(passkey.name, 'Laptop');
  assert.equal((await add(made)).error?.code, 'validation_failed', 'what is asked is asked once');
  assert.equal((await mailsTo(panel, email)).at(-1)?.values.what, 'passkey_added');

  const stranger = new TestBrowser(here);
  const asked = async () => (await stranger.ok('POST', '/sign-in/passkey/options')).options;
  const present = (response: object) => stranger.ask('POST', '/sign-in/passkey', { body: { response } });
  const answer = key.get(await asked());
  assert.equal((await present(answer)).status, 200);
  assert.equal((await stranger.ok('GET', '/session')).person.email, email);
  assert.equal((await present(answer)).error?.code, 'sign_in_failed', 'a response is good once');
  // From another site, with a foreign key, without user verification, and from a cloned key with an old counter.
  const phished = new Authenticator('http://evil.example');
  const foreign = { ...phished.get(await asked()), id: key.id, rawId: key.id };
  assert.equal((await present(foreign)).error?.code, 'sign_in_failed');
  key.verifies = false;
  assert.equal((await present(key.get(await asked()))).error?.code, 'sign_in_failed');
  key.verifies = true;
  key.counter = 0;
  assert.equal((await present(key.get(await asked()))).error?.code, 'sign_in_failed');
  for (const odd of [
    {},
    { id: 7 },
    { id: key.id },
    { id: key.id, rawId: key.id, type: 'public-key', response: {} },
  ])
    assert.equal((await present(odd)).error?.code, 'sign_in_failed');

  // The passkey also confirms a recent sign-in.
  key.counter = 9;
  panel.clock.advance(11 * 60_000);
  assert.equal(
    (await browser.ask('DELETE', `/person/passkeys/${passkey.id}`)).error?.code,
    'confirmation_required',
  );
  await browser.ok('POST', '/session/confirm', { body: { response: key.get(await asked()) } });
  await browser.ok('DELETE', `/person/passkeys/${passkey.id}`);
  assert.equal((await present(key.get(await asked()))).error?.code, 'sign_in_failed');
});
