import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOperator, UNKNOWN_ACCOUNT } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

const PROFILE = {
  kind: 'business',
  name: 'Ægir Þórsson & Co',
  street: 'Damrak 1',
  city: 'Amsterdam',
  postcode: '1012 LG',
  country: 'nl',
  vat_id: 'nl 0044.95445 b01',
};

test('an operator sets the billing details of an account', async (t) => {
  const { post, get, newAccount, catalog } = await startOperator(t);
  Object.assign(catalog, {
    tax_rate: '0.19',
    seller: { country: 'DE', name: 'Host', street: 'A 1', city: 'B' },
  });
  const path = `/accounts/${await newAccount()}/billing-profile`;
  assert.deepEqual((await get(path)).json().data, {
    profile: null,
    tax: { category: 'standard', rate: '0.19', reason: null },
  });
  const made = await post(path, PROFILE);
  assert.equal(made.status, 200, made.text);
  const { profile, tax } = made.json().data;
  assert.equal(profile.country, 'NL');
  assert.equal(profile.vat_id, 'NL004495445B01');
  assert.deepEqual([tax.category, tax.rate], ['reverse_charge', '0']);
  assert.deepEqual((await get(path)).json().data, { profile, tax });
  // The whole profile is replaced: omitted fields are deleted.
  const { vat_id: _, ...rest } = PROFILE;
  const replaced = (await post(path, { ...rest, kind: 'consumer' })).json().data;
  assert.deepEqual([replaced.profile.vat_id, replaced.tax.category], [null, 'standard']);
});

test('a wrong profile changes nothing, and each wrong field is named', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const path = `/accounts/${await newAccount()}/billing-profile`;
  for (const [field, change] of [
    ['name', { name: '' }],
    ['name', { name: 'a\u202eb' }],
    ['kind', { kind: 'company' }],
    ['country', { country: 'Netherlands' }],
    ['country', { country: 'XX' }],
    ['vat_id', { vat_id: 'NL12' }],
    ['vat_id', { country: 'DE' }],
    ['vat_id', { kind: 'consumer' }],
    ['iban', { iban: 'x' }],
  ] as const) {
    const reply = await post(path, { ...PROFILE, ...change });
    assert.equal(reply.status, 422, reply.text);
    assert.equal(reply.json().error.details.fields[0].field, field, reply.text);
  }
  assert.equal((await get(path)).json().data.profile, null);
  assert.equal((await post(`/accounts/${UNKNOWN_ACCOUNT}/billing-profile`, PROFILE)).status, 404);
});

test('vaubanctl shows and sets the billing profile', async (t) => {
  const { dataDir, newAccount } = await startOperator(t);
  const id = await newAccount();
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'account', 'billing-profile', id, ...args);
  assert.match((await ctl()).stdout, /^profile: +none$/m);
  const set = await ctl(
    ...['--kind', 'business', '--name', 'Example B.V.', '--street', 'Damrak 1', '--city', 'Amsterdam'],
    ...['--country', 'NL', '--vat-id', 'NL004495445B01'],
  );
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stdout, /^address: +Damrak 1, Amsterdam, NL$/m);
  assert.equal(JSON.parse((await ctl('--json')).stdout).profile.vat_id, 'NL004495445B01');
  const wrong = await ctl('--name', 'Half a profile');
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /kind: is required/);
});
