import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentUnavailableError } from '../../../server/compute/driver.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { boot, qemuFor, tinySpec } from './support.ts';

const image = (await tinyImage())!;
const OPS = freshKeyPair('test');
const CUSTOMER = freshKeyPair('test');

test('without a guest agent the ops key is used to log in', {
  skip: await skipWithoutTinyImage(),
}, async (t) => {
  const { driver, open } = qemuFor(t, image);
  const spec = tinySpec({ authorizedKeys: [OPS.public] });
  await driver.create(spec);
  await boot(driver, spec.id);
  await driver.authorizeKey(spec.id, CUSTOMER.public);
  const authorized = () =>
    inGuest(driver, spec.id, { privateKey: OPS.private }, 'cat ~/.ssh/authorized_keys');
  assert.ok((await authorized()).includes(CUSTOMER.public.trim()));
  await driver.revokeKey(spec.id, CUSTOMER.public);
  await driver.revokeKey(spec.id, CUSTOMER.public);
  const kept = await authorized();
  assert.ok(!kept.includes(CUSTOMER.public.trim()) && kept.includes(OPS.public.trim()), 'by the agent');
  await inGuest(
    driver,
    spec.id,
    { privateKey: OPS.private },
    'killall -9 qemu-ga; while pidof qemu-ga; do sleep 0.1; done',
  );
  await driver.close();

  const alone = open();
  assert.equal((await alone.inspect(spec.id))?.agent, false);
  await assert.rejects(alone.setPassword(spec.id, 'root', 'correct horse'), AgentUnavailableError);
  await alone.close();

  const holder = open({ opsLogin: async () => [freshKeyPair('newer').private, OPS.private] });
  assert.equal((await holder.inspect(spec.id))?.agent, true);
  await holder.setPassword(spec.id, 'root', 'correct horse');
  assert.match(await inGuest(holder, spec.id, { password: 'correct horse' }, 'echo in'), /^in\n/);
  await holder.authorizeKey(spec.id, CUSTOMER.public);
  await holder.authorizeKey(spec.id, CUSTOMER.public);
  const keys = await inGuest(holder, spec.id, { privateKey: CUSTOMER.private }, 'cat ~/.ssh/authorized_keys');
  assert.equal(keys.split('\n').filter((line) => line === CUSTOMER.public.trim()).length, 1);
  await holder.revokeKey(spec.id, CUSTOMER.public);
  await holder.revokeKey(spec.id, CUSTOMER.public);
  const left = await inGuest(holder, spec.id, { privateKey: OPS.private }, 'cat ~/.ssh/authorized_keys');
  assert.ok(!left.includes(CUSTOMER.public.trim()) && left.includes(OPS.public.trim()));
});
