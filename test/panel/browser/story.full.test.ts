import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addsAuthenticatorApp, addsPasskey, closesAccount, signsUp } from './story/identity.ts';
import {
  buysMachine,
  deletesMachine,
  goesBack,
  opensPort,
  opensTerminal,
  resizes,
  sharesTerminal,
} from './story/machine.ts';
import { curl, isPaidBack, makesKey, readsInvoice, revokesKey, topsUp } from './story/money.ts';
import { seesAttack } from './story/shield.ts';
import { NO_STORY, openStage } from './story/stage.ts';

test('a customer, from the sign-up to the closed account', { skip: NO_STORY }, async (t) => {
  const stage = await openStage(t);
  // Each step continues where the previous one ended, so a failure stops the test.
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const done: T[] = [];
    await t.test(name, async () => {
      done.push(await work());
    });
    assert.equal(done.length, 1, name);
    return done[0]!;
  };
  await step('signs up, proves the address and signs in', () => signsUp(stage));
  await step('takes an authenticator app as second step', () => addsAuthenticatorApp(stage));
  await step('adds a passkey and signs in with it', () => addsPasskey(stage));
  await step('tops up', () => topsUp(stage));
  const command = await step('makes a key, which is shown once and works', () => makesKey(stage));
  const id = await step('buys a machine', () => buysMachine(stage));
  assert.equal((await curl(command)).data[0].id, id);
  await step('types in its terminal', () => opensTerminal(stage));
  await step('opens a port', () => opensPort(stage));
  await step('goes back to a snapshot', () => goesBack(stage));
  await step('resizes it', () => resizes(stage));
  await step('sees an attack, and stops it', () => seesAttack(stage, id));
  await step('shares a terminal', () => sharesTerminal(stage));
  await step('reads the invoice of the month', () => readsInvoice(stage));
  await step('deletes the machine and has the rest back', () => deletesMachine(stage, id));
  await step('revokes the key', () => revokesKey(stage, command));
  await step('is paid back what is left', () => isPaidBack(stage));
  await step('closes the account', () => closesAccount(stage));
  assert.deepEqual(stage.complaints, []);
  assert.deepEqual([...stage.hosts], [new URL(stage.baseUrl).host], 'nothing comes from elsewhere');
});
