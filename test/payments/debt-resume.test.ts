import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indebtedShop } from './support/indebted-shop.ts';

const HOUR_MS = 3_600_000;

test('a VM that its owner has stopped stays off, even if a debt could not suspend it before', async (t) => {
  const shop = await indebtedShop(t, 24);
  const { services, clock, customer, id } = shop;
  await shop.deliver(shop.dispute({ seconds: 60, status: 'needs_response', amount: 50_00 }));
  await shop.round();
  clock.advance(25 * HOUR_MS);
  const { powerOff } = services.compute;
  services.compute.powerOff = () => Promise.reject(new Error('cannot'));
  await shop.round();
  services.compute.powerOff = powerOff;
  assert.equal(await shop.state(), 'running', 'it could not be switched off');
  await shop.credit(6_99n);
  await shop.round();
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await shop.work();
  assert.equal(await shop.state(), 'stopped');
  const end = (await shop.of()).billing_period_end_at;
  await shop.comes(end.toISOString());
  await shop.comes(new Date(end.getTime() + 73 * HOUR_MS).toISOString());
  assert.equal(await shop.state(), 'suspended');
  await shop.credit(20_00n);
  await shop.round();
  assert.equal(await shop.state(), 'stopped');
  await shop.sound();
});
