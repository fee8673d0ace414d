import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { recognizeRevenue } from '../../server/db/queries/money/recognition.ts';
import { CHART } from '../../server/domain/billing/chart.ts';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import {
  type Charge,
  deletionCharge,
  monthCharge,
  planConfiguration,
} from '../../server/domain/billing/pricing.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { catalog, fundedAccount, storedVm, withLedger } from './support.ts';

const date = (text: string) => new Date(text);
const terms = { currency: 'EUR', taxRate: '0.2' };
const april = { startAt: date('2026-04-01T00:00:00Z'), endAt: date('2026-05-01T00:00:00Z') };
const s1 = planConfiguration(findPlan(catalog, 's1')!, 'EUR');

/** Creates a VM that was bought for April: 3.99, of which 0.67 is tax and 3.32 is deferred. */
async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock(april.startAt);
  const accountId = await fundedAccount(db, clock, 10_000n);
  const vm = await storedVm(db, clock, accountId);
  const book = (charge: Charge, at: string | Date) => {
    const request = { accountId, vmId: vm.id, kind: 'renew' as const, charge, at: new Date(at) };
    return withLedger(db, new ManualClock(at), (ledger) => settleNow(ledger, request));
  };
  await book(monthCharge(s1, april, terms), april.startAt);
  const balance = async (code: string) => {
    const [row] = await db.query<{ balance: bigint }>(sql`
      select coalesce(sum(case when credit = ${code} then amount_minor else -amount_minor end), 0)::bigint as balance
      from journal where ${code} in (debit, credit)`);
    return row!.balance;
  };
  const recognize = (at: string) => recognizeRevenue(db, date(at));
  return { db, book, balance, recognize };
}

test('each past day recognises its services, once', async (t) => {
  const { db, balance, recognize } = await setUp(t);
  assert.deepEqual([await balance('deferred:0.2'), await balance('tax:0.2')], [332n, 67n]);
  await recognize('2026-04-02T00:09:59Z');
  assert.equal(await balance('revenue:0.2'), 0n, 'the day may still be filling up');
  for (const at of ['2026-04-02T00:10:00Z', '2026-04-02T23:59:00Z']) {
    await recognize(at);
    // 332 / 30 = 11.07
    assert.deepEqual([await balance('revenue:0.2'), await balance('deferred:0.2')], [11n, 321n]);
  }
  await recognize('2026-05-01T00:10:00Z');
  assert.deepEqual([await balance('revenue:0.2'), await balance('deferred:0.2')], [332n, 0n]);
  await recognize('2026-06-20T00:10:00Z');
  const days = await db.query<{ day: string }>(sql`
    select day::text from journal where reason = 'recognition' order by day`);
  assert.equal(days.length, 30, 'one entry a day, those of an outage included');
  assert.deepEqual([days[0]!.day, days[29]!.day], ['2026-04-01', '2026-04-30']);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('refunded amounts were not earned', async (t) => {
  const { db, book, balance, recognize } = await setUp(t);
  await recognize('2026-04-11T00:10:00Z');
  const refund = deletionCharge(s1, { ...april, terms, remainder: 0n }, date('2026-04-16T00:00:00Z'));
  await book(refund, '2026-04-16T00:00:00Z');
  await recognize('2026-05-02T00:10:00Z');
  // 332 − (199 − 33) net, of half a month.
  assert.deepEqual([await balance('revenue:0.2'), await balance('deferred:0.2')], [166n, 0n]);
  assert.equal(await balance('tax:0.2'), 34n);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a late booking is in the next entry, and services before it are revenue at once', async (t) => {
  const { db, book, balance, recognize } = await setUp(t);
  await recognize('2026-04-11T00:10:00Z');
  // The sale has the time stamp of a clock that stepped back over a day that is already booked.
  await book(monthCharge(s1, april, terms), '2026-04-10T12:00:00Z');
  assert.deepEqual(await ledgerProblems(db), []);
  await recognize('2026-04-12T00:10:00Z');
  assert.equal(await balance('revenue:0.2'), 2n * 122n, '332 · 11 / 30 of each');
  await book(monthCharge(s1, april, terms), '2026-05-03T00:00:00Z');
  assert.equal(await balance('revenue:0.2'), 2n * 122n + 332n);
  await recognize('2026-05-04T00:10:00Z');
  assert.equal(await balance('revenue:0.2'), 3n * 332n);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('nodes that take over from each other book no day twice', async (t) => {
  const { db, balance } = await setUp(t);
  await Promise.all([1, 2, 3].map(() => recognizeRevenue(db, date('2026-04-02T00:10:00Z'))));
  assert.equal(await balance('revenue:0.2'), 11n);
});

test('the journal accepts only accounts of the chart', async (t) => {
  const { db } = await setUp(t);
  const write = (code: string) =>
    db.query(sql`insert into journal (account_id, debit, credit, amount_minor, currency, reason, created_at)
      select account_id, ${code}, case when ${code} = 'wallet' then 'hold' else 'wallet' end, 1, currency, 'test', now()
      from wallets`);
  const suffix = { provider: ':bank_transfer', 'tax rate': ':0.08875', none: '' };
  for (const { code, per } of CHART) await write(code + suffix[per ?? 'none']);
  for (const code of [
    'bank',
    'clearing',
    'clearing:',
    'revenue:1',
    'tax:0.1234567',
    'wallet:x',
    'wallet hold',
  ])
    await assert.rejects(write(code), /journal_accounts/, code);
});
