import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { indebtedShop } from './support/indebted-shop.ts';

test('a VM that is off for a debt owes no grace, even if its account has one only once in a while', async (t) => {
  const shop = await indebtedShop(t, 24);
  shop.services.catalog.grace_once_months = 3;
  await shop.comes('2026-01-31T12:00:00Z');
  await shop.deliver(shop.dispute({ seconds: 60, status: 'needs_response', amount: 50_00 }));
  await shop.comes('2026-01-31T12:00:00Z');
  const end = (await shop.of()).billing_period_end_at;
  await shop.comes(end.toISOString());
  assert.equal(await shop.state(), 'running', 'in its grace');
  await shop.comes('2026-02-01T12:00:00Z');
  assert.equal(await shop.state(), 'suspended');
  const off = (await shop.of()).debt_suspended_at!;
  await shop.comes('2026-02-06T00:00:00Z');
  await shop.credit(6_99n + 20_00n);
  await shop.round();
  assert.equal(await shop.state(), 'running');
  const [grace] = await shop.db.query<{ from_at: Date; to_at: Date }>(
    sql`select from_at, to_at from order_lines where description like 'Grace on %'`,
  );
  assert.deepEqual([grace!.from_at, grace!.to_at], [end, off]);
  await shop.sound();
});
