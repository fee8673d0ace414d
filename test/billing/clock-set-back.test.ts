import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addOnShop } from './add-on-shop.ts';

test('a change by a clock that was set back refunds no time before the last change', async (t) => {
  const { clock, customer, done, buy, remove, wallet } = await addOnShop(t);
  const { path } = await buy('s1');
  const change = async (plan: string) => {
    const body = { plan, allow_reboot: true, resize_disk: false };
    await customer.must({ method: 'POST', path: `${path}/change-plan`, body });
    await done();
  };
  clock.set(new Date('2026-01-16T12:00:00Z'));
  await change('s2');
  clock.putBack(10 * 86_400_000);
  await change('s8');
  // 23.99 was sold for half a period, which is all that can come back, whatever the clock says.
  assert.equal((await remove(path)).amount_minor, 1199);
  await wallet();
});
