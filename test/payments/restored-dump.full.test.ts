import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Database, raw, sql } from '../../server/db/database.ts';
import { listSeries } from '../../server/db/queries/money/series.ts';
import { listUnbookedPayments } from '../../server/db/queries/money/unbooked-payments.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { answerSeries } from '../../server/domain/billing/answer-series.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { purgeExpired } from '../../server/jobs/timers/purge-expired.ts';
import { lookAfterPayments } from '../../server/payments/tasks.ts';
import { bookUnbooked } from '../../server/payments/unbooked-payments.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Services } from '../../server/start/services.ts';
import { orderOf, storedVm, withLedger } from '../billing/support.ts';
import { openInstallation } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabaseLocation } from '../support/database.ts';
import { findPostgres } from '../support/postgres-server.ts';
import { paymentShop, shopSettings } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const run = promisify(execFile);
const MONTH_MS = 32 * 86_400_000;
const PAGE = { limit: 100, afterId: null };
const ANOTHER_ENGINE = engine === 'pglite' && 'a dump is of PostgreSQL';

test('a restored older dump uses no number twice, and no payment is lost', {
  skip: ANOTHER_ENGINE,
}, async (t) => {
  const bin = findPostgres()!;
  const [before, after] = [
    await freshDatabaseLocation(t),
    await freshDatabaseLocation(t, { migrated: false }),
  ];
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-restored-'));
  defer(t, () => rm(dataDir, { recursive: true }));
  const old = await before.open();
  defer(t, () => old.close());
  const shop = await paymentShop(t, { VAUBAN_DATA_DIR: dataDir }, { db: old });
  const { clock, accountId } = shop;
  const round = async (services: Services) => {
    await lookAfterPayments(services, new Failures(services));
    await purgeExpired(services);
  };
  const topUp = async (amount: bigint) => {
    const { topUp: started } = await shop.start(shop.wish('stripe', amount));
    const [succeeded] = shop.stripe.pay(shop.session(started).id) as [Thing];
    assert.equal(await shop.deliver(succeeded), 200);
  };
  const sell = async (db: Database) => {
    const vm = await storedVm(db, clock, accountId, { hostname: `web-${clock.now().getTime()}` });
    await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, 300n)));
    clock.advance(MONTH_MS);
  };
  await topUp(50_00n);
  await sell(old);
  await round(shop.services);
  const dump = join(dataDir, 'books.dump');
  await run(join(bin, 'pg_dump'), ['--format=custom', `--file=${dump}`, before.env.DATABASE_URL!]);

  // Missing in the dump: a payment, and the invoice of a month.
  await topUp(30_00n);
  await sell(old);
  await round(shop.services);
  const numbersOf = async (db: Database) => {
    const rows = await db.query<{ number: string }>(
      sql`select number from invoices where number is not null order by sequence`,
    );
    return rows.map(({ number }) => number);
  };
  assert.deepEqual(await numbersOf(old), ['INV-000001', 'INV-000002']);

  await run(join(bin, 'pg_restore'), [
    '--no-owner',
    '--exit-on-error',
    `--dbname=${after.env.DATABASE_URL}`,
    dump,
  ]);
  const db = await after.open();
  defer(t, () => db.close());
  const env = { ...shopSettings(shop.stripe.url), VAUBAN_DATA_DIR: dataDir };
  const restored = await openInstallation(db, { clock, env });
  defer(t, () => restored.close());
  await sell(db);
  await round(restored.services);
  assert.deepEqual(await numbersOf(db), ['INV-000001'], 'none is issued');
  const [invoices] = await listSeries(db);
  assert.equal(invoices!.at_least, 2n, 'as this machine has seen');
  const [lost, ...more] = await listUnbookedPayments(db, 'open', PAGE);
  assert.equal(more.length, 0);
  assert.deepEqual([lost!.account_id, lost!.amount_minor], [accountId, 30_00n]);

  await db.transaction((tx) =>
    bookUnbooked(tx, restored.services, { id: lost!.id, accountId: undefined, actor: 'anna' }),
  );
  await db.transaction((tx) => answerSeries(tx, clock, { invoice: 2n, credit_note: 0n }, 'anna'));
  await round(restored.services);
  assert.deepEqual(await numbersOf(db), ['INV-000001', 'INV-000003']);
  assert.equal((await lookUpWallet(db, accountId)).available_minor, 50_00n + 30_00n - 6_00n);
  assert.deepEqual(await auditNow(db), []);
  // The question is not asked a second time.
  await round(restored.services);
  const [asked] = await db.query(sql`select from ${raw('number_series')} where asked_at is not null`);
  assert.equal(asked, undefined);
});
