import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemFindVm, updateVm } from '../../server/db/queries/vms/vms.ts';
import { storedVm } from '../billing/support.ts';
import { SELLER } from '../documents/support/samples.ts';
import { startOperator } from './support.ts';

const PROFILE = { kind: 'business', name: 'Example', street: 'A 1', city: 'Amsterdam', country: 'NL' };

test("an account's VMs are looked at again if its new profile pays other prices, and only then", async (t) => {
  const { post, newAccount, db, catalog, clock } = await startOperator(t);
  const { name, street, city, postcode, country, vat_id } = SELLER;
  const seller = { name, street, city, postcode, country, vat_id };
  Object.assign(catalog, { tax_rate: '0.19', seller, business_prices: 'net' });
  const [accountId, other] = [await newAccount(), await newAccount()];
  const [mine, theirs] = [await storedVm(db, clock, accountId), await storedVm(db, clock, other)];
  const seen = clock.now();
  const isSeenAfter = async (profile: object) => {
    for (const { id } of [mine, theirs]) await updateVm(db, id, { prices_seen_until: seen }, seen);
    const { status } = await post(`/accounts/${accountId}/billing-profile`, { ...PROFILE, ...profile });
    assert.equal(status, 200);
    assert.deepEqual((await systemFindVm(db, theirs.id))!.prices_seen_until, seen);
    return (await systemFindVm(db, mine.id))!.prices_seen_until !== null;
  };
  assert.equal(await isSeenAfter({}), true);
  assert.equal(await isSeenAfter({ vat_id: 'NL004495445B01' }), false);
  assert.equal(await isSeenAfter({ vat_id: 'NL004495445B01', name: 'Other' }), true);
  // In the seller's country the price is the same as without an id.
  assert.equal(await isSeenAfter({ country: 'DE', vat_id: 'DE136695976' }), false);
  assert.equal(await isSeenAfter({ country: 'DE' }), true);
  catalog.business_prices = 'gross';
  assert.equal(await isSeenAfter({ vat_id: 'NL004495445B01' }), true);
});
