import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sql, sql } from '../../server/db/database.ts';
import { recognizeRevenue } from '../../server/db/queries/money/recognition.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import type { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, renewalsOf, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { available, linesOf, owner } from './hourly-support.ts';

test('an hourly VM is bought for the price of its month, and shows its hourly price', async (t) => {
  const { fixture, customer, at, read } = await owner(t);
  assert.equal(await available(customer), 100_00 - 399);
  at('2026-01-01T00:00:01Z');
  for (const what of ['', '/billing']) {
    const { billing_mode, next_billing_mode, price_hourly, price_monthly_minor } = await read(what);
    assert.deepEqual(
      [billing_mode, next_billing_mode, price_hourly, price_monthly_minor],
      ['hourly', 'hourly', '0.006', 399],
    );
  }
  const other = await buyVm(fixture, customer, { plan: 's1' });
  const { billing_mode, next_billing_mode, price_hourly } = await customer.must({
    method: 'GET',
    path: `/v1/vm/${other}`,
  });
  assert.deepEqual([billing_mode, next_billing_mode, price_hourly], ['monthly', 'monthly', null]);
  const [invoice] = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
  const { lines } = await customer.must({ method: 'GET', path: `/v1/billing/invoices/${invoice.id}` });
  assert.deepEqual(
    lines.map((line: { vm_id: string; price_hourly: string | null }) => [line.vm_id, line.price_hourly]),
    // The held amount is not a sale: it is on no invoice.
    [[other, null]],
  );
  await assertInvariants(fixture.db);
});

test('the catalog lists the items sold hourly', async (t) => {
  const { fixture, customer } = await owner(t);
  const { catalog } = fixture.installation.services;
  delete findPlan(catalog, 'd8')!.price_hourly;
  const { plans } = await customer.must({ method: 'GET', path: '/v1/vm/catalog' });
  const told = (code: string) => {
    const { billing_modes, price_hourly } = plans.find((plan: { code: string }) => plan.code === code);
    return [billing_modes, price_hourly];
  };
  assert.deepEqual(told('s1'), [['monthly', 'hourly'], '0.006']);
  assert.deepEqual(told('d8'), [['monthly'], null]);
  const prices = await customer.must({ method: 'GET', path: '/v1/vm/prices' });
  assert.deepEqual(
    [prices.billing_modes, prices.components[1].price_hourly],
    [['monthly', 'hourly'], '0.0017'],
  );
  const quote = (billing: string) =>
    customer.must({
      method: 'GET',
      path: `/v1/vm/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20&billing=${billing}`,
    });
  const [byMonth, byHour] = [await quote('monthly'), await quote('hourly')];
  assert.deepEqual([byHour.total_minor, byHour.price_hourly], [byMonth.total_minor, '0.0065']);
  assert.equal(byMonth.price_hourly, null);
  delete catalog.custom.price_hourly;
  const refused = await customer.call({
    method: 'GET',
    path: '/v1/vm/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20&billing=hourly',
  });
  assert.deepEqual([refused.status, fieldsOf(refused.error)], [422, ['billing']]);
});

const fieldsOf = (error: { details?: Record<string, unknown> } | undefined) =>
  (error!.details!.fields as { field: string }[]).map(({ field }) => field);

test('an item that is not sold hourly cannot be bought so, and changes nothing', async (t) => {
  const { fixture, customer, patch, change, read } = await owner(t);
  delete findPlan(fixture.installation.services.catalog, 'd8')!.price_hourly;
  const body = { plan: 'd8', template: 'debian-12', hostname: 'big', billing: 'hourly' };
  const bought = await customer.call({ method: 'POST', path: '/v1/vm', body });
  assert.deepEqual([bought.status, fieldsOf(bought.error)], [422, ['billing']]);
  for (const billing of ['weekly', 1]) {
    assert.equal(
      (await customer.call({ method: 'POST', path: '/v1/vm', body: { ...body, billing } })).status,
      422,
    );
    assert.equal((await patch({ billing })).status, 422);
  }
  const changed = await change({ plan: 'd8' });
  assert.deepEqual([changed.status, fieldsOf(changed.error)], [422, ['plan']]);
  const quote = await read('/plan-quote?plan=d8');
  assert.deepEqual([quote.allowed, quote.blockers[0].code], [false, 'validation_failed']);
  assert.match(quote.blockers[0].message, /./);
  assert.equal(await available(customer), 100_00 - 399);
  // Billed monthly it may change to this plan, and then cannot be billed hourly.
  assert.equal((await patch({ billing: 'monthly' })).data.next_billing_mode, 'monthly');
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.equal((await change({ plan: 'd8' })).status, 200);
  assert.deepEqual(fieldsOf((await patch({ billing: 'hourly' })).error), ['billing']);
  await assertInvariants(fixture.db);
});

test('preview, deletion and ledger agree; the deposit is released and the hours are charged', async (t) => {
  const { fixture, customer, id, at, read, remove } = await owner(t);
  at('2026-01-14T04:10:00Z');
  const { refund_minor } = await read('/delete-preview');
  // 317 hours have started: 1.902.
  assert.equal(refund_minor, 399 - 190);
  const before = await available(customer);
  assert.equal((await remove()).amount_minor, refund_minor);
  assert.equal(await available(customer), before + refund_minor);
  assert.deepEqual(await linesOf(fixture, id, 'delete_refund'), [
    { description: 'Released deposit for Shared S1', quantity: 1, unit: 'deposit', amount_minor: -399n },
    { description: 'Shared S1, 317 hours', quantity: 317, unit: 'hour', amount_minor: 190n },
  ]);
  await assertInvariants(fixture.db);
});

test('revenue follows the service, at its time', async (t) => {
  const { fixture, at, change, remove } = await owner(t);
  const earned = async (day: string) => {
    await recognizeRevenue(fixture.db, new Date(`${day}T00:10:00Z`));
    const [row] = await fixture.db.query<{ revenue: bigint; deferred: bigint }>(sql`
      select sum(case when credit ~ '^(revenue|refunds)' then amount_minor when debit ~ '^(revenue|refunds)' then -amount_minor else 0 end)::bigint as revenue,
        sum(case when credit like 'deferred%' then amount_minor when debit like 'deferred%' then -amount_minor else 0 end)::bigint as deferred
      from journal`);
    return [row!.revenue, row!.deferred];
  };
  // A deposit earns no revenue, because the hours are not known yet.
  assert.deepEqual(await earned('2026-01-11'), [0n, 0n]);
  at('2026-01-11T00:00:00Z');
  await change({ plan: 's2' });
  // 240 hours of s1 cost 1.44, of which 0.24 is tax.
  assert.deepEqual(await earned('2026-01-12'), [120n, 0n]);
  at('2026-01-21T00:00:00Z');
  await remove();
  // And 240 hours of s2 at 0.0105 cost 2.52, of which 0.42 is tax. Nothing is deferred any longer.
  assert.deepEqual(await earned('2026-01-22'), [120n + 210n, 0n]);
  await assertInvariants(fixture.db);
});

test('a custom size is billed by the hour as well', async (t) => {
  const { fixture, customer, id, at, remove } = await owner(t);
  at('2026-01-02T00:00:00Z');
  const body = { vcpu: 2, allow_reboot: true };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-custom`, body });
  await fixture.finish();
  assert.equal((await vmOf(fixture, id)).price_hourly_micros, 9_900n);
  at('2026-01-03T00:00:00Z');
  await remove();
  // 24 hours at 0.006 and at 0.0099 cost 0.3816.
  assert.equal(await available(customer), 100_00 - 38);
  await assertInvariants(fixture.db);
});

test('a short month costs its price when billed hourly too, once it is used up', async (t) => {
  const { fixture, id, at, customer, remove } = await owner(t);
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [399n]);
  at('2026-02-28T23:59:59Z');
  assert.equal((await remove()).amount_minor, 0);
  assert.equal(await available(customer), 100_00 - 2 * 399);
  await assertInvariants(fixture.db);
});

test("an unpaid VM has its grace; it owes the hours of it, at today's price", async (t) => {
  const { fixture, customer, id, patch } = await owner(t, 399n);
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual([await renewalsOf(fixture, id), (await vmOf(fixture, id)).status], [[], 'running']);
  await comes(fixture, '2026-02-04T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  // The next period's billing mode does not make the used grace period cheaper.
  await patch({ billing: 'monthly' });
  findPlan(fixture.installation.services.catalog, 's1')!.price_hourly = '0.0080';
  const { overdue_minor } = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  // 72 hours at 0.008.
  assert.equal(overdue_minor, 58 + 399);
  await customer.topUp(BigInt(overdue_minor));
  await comes(fixture, '2026-02-06T00:00:00Z');
  const { status, metered_since, billing_period_start_at } = await vmOf(fixture, id);
  assert.deepEqual(
    [status, metered_since, billing_period_start_at],
    ['running', null, new Date('2026-02-06T00:00:00Z')],
  );
  assert.equal(await available(customer), 0);
  await assertInvariants(fixture.db);
});

test('a VM that was renewed late by the hour is counted from the end of its period', async (t) => {
  const { fixture, customer, id, at, remove } = await owner(t, 399n);
  await comes(fixture, '2026-02-01T00:00:00Z');
  await customer.topUp(399n);
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.deepEqual((await vmOf(fixture, id)).metered_since, new Date('2026-02-01T00:00:00Z'));
  at('2026-02-02T00:30:00Z');
  // 25 hours at 0.006.
  assert.equal((await remove()).amount_minor, 399 - 15);
  await assertInvariants(fixture.db);
});

test('a deletion in grace refunds and charges nothing', async (t) => {
  const { fixture, customer, read, remove } = await owner(t, 399n);
  await comes(fixture, '2026-02-01T12:00:00Z');
  assert.equal((await read('/delete-preview')).refund_minor, 0);
  assert.equal((await remove()).amount_minor, 0);
  assert.equal(await available(customer), 0);
  await assertInvariants(fixture.db);
});

/** Runs a statement like a superuser who disables triggers, and returns the laws that are broken then. */
async function brokenBy(fixture: Fixture, statement: Sql): Promise<string[]> {
  await fixture.db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`set local timezone = 'UTC'`);
    await tx.query(statement);
    await tx.query(sql`update vms set seal = row_seal(terms_of_vm(vms))`);
  });
  return [...new Set((await auditNow(fixture.db)).map(({ law }) => law))];
}

/** Reseals a line, like a forger who knows how seals are made. */
const resealed = sql`seal = row_seal(to_jsonb(order_lines) || jsonb_build_object('amount_minor', amount_minor + 5))`;

test('an edited figure of the hours is found, with new seals too', async (t) => {
  const { fixture, at, change, remove } = await owner(t);
  const KNOWS = 'a VM records the hourly price of its running period and when its hours began';
  const HELD = 'the amount held for a VM is the deposit of its running period';
  assert.deepEqual(
    await brokenBy(fixture, sql`update vms set price_hourly_micros = price_hourly_micros - 1`),
    [KNOWS],
  );
  assert.deepEqual(
    await brokenBy(fixture, sql`update vms set price_hourly_micros = price_hourly_micros + 1`),
    [],
  );
  const later = sql`update vms set metered_since = metered_since + interval '1 hour'`;
  assert.deepEqual(await brokenBy(fixture, later), [HELD, KNOWS]);
  await brokenBy(fixture, sql`update vms set metered_since = billing_period_start_at`);
  at('2026-01-03T00:00:00Z');
  await change({ plan: 's2' });
  at('2026-01-05T00:00:00Z');
  await remove();
  await assertInvariants(fixture.db);
  const found = await brokenBy(
    fixture,
    sql`update order_lines set amount_minor = amount_minor + 5, ${resealed} where unit = 'hour' and not proration`,
  );
  assert.ok(
    found.includes('hours are counted as served, and cost their price, up to the amount paid'),
    `${found}`,
  );
});

test('months that were missed are renewed at one instant, and the hours are those of the last', async (t) => {
  const { fixture, customer } = await owner(t, 200_00n);
  // Orders of the same instant have ids in any order: with this many VMs, some are not in the order of their months.
  for (let n = 0; n < 6; n++) await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' });
  await comes(fixture, '2026-04-15T00:00:00Z');
  const vms = await fixture.db.query<VmRow>(sql`select * from vms`);
  assert.ok(
    vms.every(({ metered_since }) => metered_since!.getTime() === Date.parse('2026-04-01T00:00:00Z')),
  );
  await assertInvariants(fixture.db);
});
