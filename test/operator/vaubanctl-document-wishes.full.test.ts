import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

const WHO = ['--kind', 'consumer', '--name', 'Ada', '--street', 'A 1', '--city', 'Berlin', '--country', 'DE'];

test('an order number, a language and billing contacts are set, kept and cleared with vaubanctl', async (t) => {
  const { dataDir, newAccount } = await startOperator(t);
  const account = await newAccount();
  const wishes = async (...options: string[]) => {
    const { code, stdout, stderr } = await vaubanctl(
      dataDir,
      ...['account', 'billing-profile', account, ...WHO, ...options, '--json'],
    );
    assert.equal(code, 0, stderr);
    const { order_reference, language, mail_to } = JSON.parse(stdout).profile;
    return [order_reference, language, mail_to];
  };
  const set = [
    '--order-reference',
    'PO-1',
    '--language',
    'de',
    '--mail-to',
    'a@example.com',
    'b@example.com',
  ];
  const both = ['a@example.com', 'b@example.com'];
  assert.deepEqual(await wishes(...set), ['PO-1', 'de', both]);
  assert.deepEqual(await wishes(), ['PO-1', 'de', both], 'what is left out stays');
  assert.deepEqual(await wishes('--no-mail-to'), ['PO-1', 'de', []]);
  assert.deepEqual(await wishes('--no-order-reference', '--no-language'), [null, null, []]);
});
