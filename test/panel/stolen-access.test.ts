import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Attempts } from '../../server/access/attempts.ts';
import { CUSTOMERS } from '../../server/access/realms.ts';
import type { Transaction } from '../../server/db/database.ts';
import { lockPerson } from '../../server/db/queries/access/people.ts';
import { listSessions } from '../../server/db/queries/access/sessions.ts';
import { Signals } from '../../server/db/signals.ts';
import { changeAddress } from '../../server/domain/people/change-address.ts';
import { createPerson } from '../../server/domain/people/create-person.ts';
import { issueMailToken, type NewMailToken, peekMailToken } from '../../server/domain/people/mail-tokens.ts';
import { setPassword } from '../../server/domain/people/set-password.ts';
import { startSession } from '../../server/domain/people/start-session.ts';
import { completeSignUp } from '../../server/endpoints/panel/session/complete-sign-up.ts';
import { countSecondFactor } from '../../server/endpoints/panel/session/second-factor.ts';
import { rememberDevice } from '../../server/endpoints/panel/shared/known-device.ts';
import type { Browser } from '../../server/http/panel/browser.ts';
import type { PanelServices } from '../../server/http/services.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { freshDatabase } from '../support/database.ts';

/** Creates a person and the parts of the service that authenticate them. */
async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const secrets = new SecretBox(Buffer.alloc(32, 1));
  const attempts = new Attempts(db, clock);
  const parts = { db, clock, secrets, attempts, signals: new Signals(), realm: CUSTOMERS };
  const services = parts as unknown as PanelServices;
  const newcomer = { email: 'anna@example.com', name: '', locale: 'en', passwordHash: 'old', verified: true };
  const { id: personId, email } = await db.transaction((tx) => createPerson(tx, clock, newcomer));
  const link = async (token: NewMailToken) =>
    (await db.transaction((tx) => issueMailToken(tx, services, token))).token;
  const reset = (tx: Transaction) =>
    setPassword(tx, services, { personId, passwordHash: 'new', keepSession: null });
  return { db, clock, services, personId, email, link, reset };
}

/** The part of a browser that makes it a known device: it stores the secrets that it receives. */
function newBrowser(): Browser {
  let kept: readonly string[] = [];
  const browser: Pick<Browser, 'deviceTokens' | 'keepDevice'> = {
    deviceTokens: () => [...kept],
    keepDevice: (_, tokens) => {
      kept = tokens;
    },
  };
  return browser as Browser;
}

test('resets by mail give no more guesses of a second factor than a day has', async (t) => {
  const { db, services, personId, reset } = await setUp(t);
  // An attacker who reads the owner's mail becomes another known device with each reset.
  const thief = newBrowser();
  let checked = 0;
  for (let round = 0; round < 14; round++) {
    await db.transaction(async (tx) => {
      await lockPerson(tx, personId);
      await reset(tx);
      await rememberDevice(tx, services, thief, personId);
    });
    for (let guess = 0; guess < 5; guess++)
      await countSecondFactor(services, thief, personId).then(
        () => checked++,
        (error) => assert.equal(error.code, 'rate_limit_exceeded'),
      );
  }
  assert.equal(checked, 60 + 5, 'those of known devices, and those of a stranger in a quarter of an hour');
});

test('a link to change the address is invalidated by a new password or another change', async (t) => {
  const { db, services, personId, link, reset } = await setUp(t);
  const change = () => link({ purpose: 'change_email', personId, email: 'thief@example.com' });
  const state = (token: string) =>
    peekMailToken(db, services, ['change_email'], token).then(
      () => 'works',
      (error) => error.details.reason,
    );
  const first = await change();
  assert.equal(await state(first), 'works');
  await db.transaction(async (tx) => {
    const person = (await lockPerson(tx, personId))!;
    await changeAddress(tx, services, { person, email: 'anna@example.org', ip: '192.0.2.1' });
  });
  assert.equal(await state(first), 'used');
  const second = await change();
  await db.transaction(async (tx) => {
    await lockPerson(tx, personId);
    await reset(tx);
  });
  assert.equal(await state(second), 'used');
});

test('a password without its second factor signs no one out', async (t) => {
  const { db, clock, services, personId } = await setUp(t);
  const start = (stage: 'signed_in' | 'second_factor') =>
    db.transaction((tx) => startSession(tx, services, { personId, stage, ip: '192.0.2.1', userAgent: '' }));
  await start('signed_in');
  // The oldest session is removed first.
  clock.advance(1_000);
  for (let count = 0; count < 101; count++) await start('second_factor');
  assert.equal((await listSessions(db, personId, clock.now())).length, 1);
});

test('a link for an address that is taken by now has no password hashed', async (t) => {
  const { services, email, link } = await setUp(t);
  const hash = t.mock.fn();
  const body = { token: await link({ purpose: 'verify_email', email }), password: 'seven quiet otters' };
  const parts = { ...services, brand: { signUp: 'open' }, passwords: { hash } };
  const prepared = completeSignUp.prepare!({ body, services: parts } as never);
  await assert.rejects(prepared, { code: 'link_invalid', details: { reason: 'taken' } });
  assert.equal(hash.mock.callCount(), 0);
});
