import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { insertOutage } from '../../server/db/queries/hosts/outages.ts';
import { creditNextVm } from '../../server/domain/billing/adjustments/credit-outage.ts';
import { slaPercent } from '../../server/domain/billing/adjustments/sla-credit.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { newId } from '../../server/platform/ids.ts';
import { shop } from './shop.ts';

const RULE = [
  { uptime_below: '99.9', percent: 10 },
  { uptime_below: '99', percent: 25 },
  { uptime_below: '50', percent: 100 },
];

/** A shop with helpers to report, credit and undo outages. */
async function shopWithOutages(t: TestContext) {
  const open = await shop(t);
  const { db, clock } = open;
  /** Reports an outage of a region, or of one VM if `where` is the id of a VM. */
  const outage = async (where: string, from: string, to: string) => {
    const [region, vm_id] = where.startsWith('vm_') ? [null, where] : [where, null];
    const span = { from_at: new Date(from), to_at: new Date(to) };
    const said = { reason: 'power cut', actor: 'root', created_at: clock.now() };
    return (await insertOutage(db, { id: newId('out', clock), region, vm_id, ...span, ...said })).id;
  };
  const creditNext = (outageId: string) =>
    db.transaction((tx) => creditNextVm({ tx, clock }, { outageId, rule: RULE, actor: 'root' }));
  const credit = async (outageId: string) => {
    while (await creditNext(outageId));
    return credits(db, outageId);
  };
  return { ...open, outage, creditNext, credit };
}

/** Returns the credits of an outage, by VM. */
const credits = (db: Database, outageId: string) =>
  db.query<{ id: string; vm_id: string; amount_minor: bigint }>(
    sql`select id, vm_id, amount_minor from orders where outage_id = ${outageId} order by vm_id`,
  );

test('the rule applies to the uptime of the month, to the millisecond', () => {
  const served_ms = 100_000n;
  const percentOf = (down_ms: bigint) => slaPercent(RULE, { served_ms, down_ms });
  assert.deepEqual(
    [0n, 100n, 101n, 1000n, 1001n, 50_000n, 50_001n, 100_000n].map(percentOf),
    [0, 0, 10, 10, 25, 25, 100, 100],
  );
});

test('an outage of a region is credited once to each VM that had it, at the tax of the sale', async (t) => {
  const { db, clock, services, customer, buy, outage, credit, spent, done, sound } = await shopWithOutages(t);
  const small = await buy('s1');
  clock.advance(1000);
  const large = await buy('s8');
  await buy('s1', 'eu-west');
  const gone = await buy('s2');
  clock.set(new Date('2026-01-05T00:00:00Z'));
  await customer.must({ method: 'DELETE', path: gone.path });
  await done();
  clock.set(new Date('2026-01-12T00:00:00Z'));
  await buy('s4');
  const before = await spent();
  services.catalog.tax_rate = '0.25';
  // 45 minutes of 44,640 are 0.1008 %.
  const power = await outage('eu-central', '2026-01-10T00:00:00Z', '2026-01-10T00:45:00Z');
  const made = await credit(power);
  assert.deepEqual(
    made.map(({ vm_id, amount_minor }) => [vm_id, amount_minor]),
    [
      [small.id, -40n],
      [large.id, -240n],
    ],
  );
  assert.equal(await spent(), before - 280n);
  assert.deepEqual(await credit(power), made, 'credited once');
  const lines = await db.query(sql`
    select description, unit, tax_rate::text as rate, order_lines.tax_minor, from_at, to_at, type, reason, actor
    from order_lines join orders on orders.id = order_id join invoices on invoices.id = invoice_id
    where orders.id = ${made[0]!.id}`);
  assert.deepEqual(lines, [
    {
      description: 'SLA credit, 10 % of the month: power cut',
      unit: 'adjustment',
      rate: '0.19',
      tax_minor: -6n,
      from_at: new Date('2026-01-01T00:00:00Z'),
      to_at: new Date('2026-02-01T00:00:00Z'),
      type: 'credit_note',
      reason: 'power cut',
      actor: 'root',
    },
  ]);
  const [listed] = await customer.must({ method: 'GET', path: '/v1/billing/orders?kind=adjustment&limit=1' });
  assert.deepEqual(listed.adjustment, { type: 'sla_credit', reason: 'power cut', corrects_order_id: null });
  await sound();
});

test('all downtime of a month counts once and together, and voided credits do not', async (t) => {
  const { clock, buy, outage, credit, undo, sound } = await shopWithOutages(t);
  const { id } = await buy('s8');
  clock.set(new Date('2026-01-20T00:00:00Z'));
  const amountsOf = async (from: string, to: string, where = 'eu-central') => {
    const made = await credit(await outage(where, `2026-01-${from}:00Z`, `2026-01-${to}:00Z`));
    return made.map(({ amount_minor }) => amount_minor);
  };
  assert.deepEqual(await amountsOf('03T00:00', '03T00:44'), [], 'above 99.9 %');
  assert.deepEqual(await amountsOf('03T00:30', '03T01:00', id), [-240n], 'an hour by both');
  assert.deepEqual(await amountsOf('03T00:00', '03T01:00'), [], 'the same hour');
  assert.deepEqual(await amountsOf('04T00:00', '04T00:30'), [], '10 % still');
  const day = await credit(await outage(id, '2026-01-06T00:00:00Z', '2026-01-06T12:00:00Z'));
  assert.deepEqual(
    day.map(({ amount_minor }) => amount_minor),
    [-360n],
    '25 % less the 10 %',
  );
  await undo(day[0]!.id);
  assert.deepEqual(await amountsOf('07T00:00', '07T00:30'), [], 'two hours without that day');
  assert.deepEqual(await amountsOf('08T00:00', '08T12:00'), [-360n]);
  // An outage that was reported but not credited does not count.
  await outage(id, '2026-01-09T00:00:00Z', '2026-01-19T23:00:00Z');
  assert.deepEqual(await amountsOf('10T00:00', '10T00:30'), []);
  await sound();
});

test('no month is credited more than its rest, and a deletion refunds no more either', async (t) => {
  const { clock, customer, buy, done, outage, credit, refund, spent, sound } = await shopWithOutages(t);
  const { id, order, path } = await buy('s8');
  clock.set(new Date('2026-01-20T00:00:00Z'));
  await refund(order.id, 2300n);
  const week = await outage(id, '2026-01-04T00:00:00Z', '2026-01-11T00:00:00Z');
  assert.deepEqual(
    (await credit(week)).map(({ amount_minor }) => amount_minor),
    [-99n],
    'of 6.00',
  );
  await sound();
  await customer.must({ method: 'DELETE', path });
  await done();
  assert.equal(await spent(), 0n);
  await sound();
});

test('an outage over the end of a month has a line for each, by the payment for the VM', async (t) => {
  const { db, clock, services, customer, buy, done, outage, credit, sound } = await shopWithOutages(t);
  const { path } = await buy('s1');
  clock.set(new Date('2026-02-01T00:00:00Z'));
  await renewVms(services);
  await done();
  clock.set(new Date('2026-02-15T00:00:00Z'));
  await customer.must({ method: 'DELETE', path });
  await done();
  // Eight hours of January, and nine of the fourteen days that the VM existed in February.
  const long = await outage('eu-central', '2026-01-31T16:00:00Z', '2026-02-10T00:00:00Z');
  const [made] = await credit(long);
  const lines = await db.query<{ amount_minor: bigint }>(
    sql`select amount_minor from order_lines where order_id = ${made!.id} order by position`,
  );
  assert.deepEqual(
    lines.map(({ amount_minor }) => amount_minor),
    [-100n, -200n],
    'a quarter of 3.99, and all of the half that is left',
  );
  await sound();
});

test('interrupted crediting continues, and nothing is credited twice', async (t) => {
  const { db, clock, services, buy, outage, creditNext, credit, sound } = await shopWithOutages(t);
  for (let vm = 0; vm < 3; vm++) {
    await buy('s1');
    clock.advance(1000);
  }
  clock.set(new Date('2026-01-20T00:00:00Z'));
  const id = await outage('eu-central', '2026-01-10T00:00:00Z', '2026-01-10T02:00:00Z');
  await creditNext(id);
  await assert.rejects(
    db.transaction(async (tx) => {
      await creditNextVm({ tx, clock: services.clock }, { outageId: id, rule: RULE, actor: 'root' });
      throw new Error('power cut of our own');
    }),
    /of our own/,
  );
  assert.equal((await credits(db, id)).length, 1);
  const [first, second] = await Promise.all([credit(id), credit(id)]);
  assert.deepEqual(
    first.map(({ amount_minor }) => amount_minor),
    [-40n, -40n, -40n],
  );
  assert.deepEqual(second, first);
  await assert.rejects(db.query(sql`update outages set to_at = from_at + interval '1 day'`), /never changes/);
  await assert.rejects(db.query(sql`delete from outages`), /never changes/);
  await sound();
});

test('an edited outage is found', async (t) => {
  const { db, clock, buy, outage, credit } = await shopWithOutages(t);
  await buy('s1');
  clock.set(new Date('2026-01-20T00:00:00Z'));
  await credit(await outage('eu-central', '2026-01-10T00:00:00Z', '2026-01-10T02:00:00Z'));
  for (const [edit, law] of [
    [sql`update outages set to_at = to_at + interval '1 hour'`, /outages are as they were written/],
    [sql`update outages set region = 'eu-west'`, /belong to affected VMs/],
    [sql`update outages set status = 'open'`, /belong to affected VMs/],
    [sql`update outages set credited_up_to = ''`, /belong to affected VMs/],
  ] as const) {
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.query(sql`set local session_replication_role = replica`);
        await tx.query(edit);
        throw new Error((await auditNow(tx)).map(({ law }) => law).join());
      }),
      law,
    );
  }
});
