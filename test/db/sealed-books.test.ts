import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateUp } from '../../server/db/migrate.ts';
import { sealedBooks } from '../../server/db/migrations/0013-sealed-books.ts';
import { audit } from '../../server/domain/billing/audit/audit.ts';
import { completeOrder, placeOrder } from '../../server/domain/billing/ledger.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { fundedAccount, orderOf, storedVm, withLedger } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';

test('existing books are sealed in their state, and continue from there', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100_00n);
  await fundedAccount(db, clock, 1n);
  await fundedAccount(db, clock);
  const vm = await storedVm(db, clock, accountId);
  const buy = async () => {
    const { id } = await withLedger(db, clock, (ledger) => placeOrder(ledger, orderOf(clock, vm, 399n)));
    await withLedger(db, clock, (ledger) => completeOrder(ledger, accountId, id, clock.now()));
  };
  await buy();
  const later = MIGRATIONS.slice(MIGRATIONS.indexOf(sealedBooks)).toReversed();
  for (const { name, down } of later)
    await db.script(`begin; delete from migrations where name = '${name}'; ${down}; commit;`, { ddl: true });

  // A session that does not write instants in UTC.
  await db.script(`set timezone = 'Asia/Kolkata'`);
  await migrateUp(db);
  assert.deepEqual((await audit(db, clock)).findings, []);
  await buy();
  assert.deepEqual((await audit(db, clock)).findings, []);
  const positions = await db.query<{ position: bigint; place: bigint }>(sql`
    select position, row_number() over (order by id) as place from journal where account_id = ${accountId} order by id`);
  assert.ok(positions.length > 4);
  for (const { position, place } of positions) assert.equal(position, place);
});

test('an insert without effect leaves no gap in the chain', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100n);
  await db.query(sql`
    insert into journal (id, account_id, debit, credit, amount_minor, currency, reason, payment_id, created_at)
    overriding system value select id, account_id, debit, credit, amount_minor, currency, reason, payment_id, created_at
    from journal where account_id = ${accountId} on conflict do nothing`);
  assert.deepEqual((await audit(db, clock)).findings, []);
  await db.transaction(async (tx) => {
    await tx.query(sql`
      insert into payments (id, account_id, method, status, amount_minor, currency, reference, created_at)
      select 'pay_' || n, ${accountId}, 'test', 'succeeded', 1, 'EUR', 'r' || n, now() from generate_series(1, 3) n`);
    await tx.query(
      sql`update wallets set available_minor = available_minor + 3 where account_id = ${accountId}`,
    );
    await tx.query(sql`
      insert into journal (account_id, debit, credit, amount_minor, currency, reason, payment_id, created_at)
      select account_id, 'clearing:test', 'wallet', amount_minor, currency, 'top_up', id, now() from payments
      where id like 'pay\\__' order by id`);
  });
  assert.deepEqual((await audit(db, clock)).findings, [], 'several rows of one statement follow each other');
});
