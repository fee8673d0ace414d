// Runs on both engines: the books keep their decimals in either.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateUp } from '../../server/db/migrate.ts';
import { booksExponent } from '../../server/db/migrations/0047-books-exponent.ts';
import { areUncounted, findBooks } from '../../server/db/queries/money/books.ts';
import { createAccount } from '../../server/domain/accounts/create-account.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { answerExponent } from '../../server/domain/billing/books-exponent.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';

const clock = new ManualClock('2026-01-10T00:00:00Z');

/** A database of the previous version, with a wallet in `currency`. */
async function oldBooks(t: TestContext, currency: string): Promise<Database> {
  const db = await freshDatabase(t, { migrated: false });
  const older = MIGRATIONS.slice(0, MIGRATIONS.indexOf(booksExponent));
  await db.script('create table migrations (name text primary key, applied_at timestamptz not null)');
  for (const { name, up } of older)
    await db.script(`begin;\n${up};\ninsert into migrations values ('${name}', now());\ncommit;`, {
      ddl: true,
    });
  await db.script(`
    insert into accounts (id, name, currency, created_at) values ('acc_old', 'Old', '${currency}', now());
    insert into wallets (account_id, currency, updated_at) values ('acc_old', '${currency}', now());`);
  return db;
}

const decimalsOfRuntime = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;

test('an upgrade stores the decimals if ISO 4217 and the runtime agree, and otherwise asks', async (t) => {
  for (const [currency, exponent] of [
    ['EUR', 2],
    ['JPY', 0],
    ['HUF', 2],
  ] as const) {
    const db = await oldBooks(t, currency);
    await migrateUp(db);
    const books = await findBooks(db, currency);
    const isKnown = decimalsOfRuntime(currency) === exponent;
    assert.ok(isKnown || currency === 'HUF');
    assert.deepEqual(
      [books?.exponent, books?.recorded_by],
      isKnown ? [exponent, 'upgrade'] : [undefined, undefined],
    );
    assert.equal(await areUncounted(db, currency), !isKnown);
    await db.transaction((tx) => createAccount(tx, clock, { name: 'New', currency, limits: {} }));
    assert.equal(await areUncounted(db, currency), !isKnown, 'another account is no answer');
    await db.transaction((tx) =>
      answerExponent(tx, clock, { currency }, { exponent, actor: 'anna as root' }),
    );
    const recorded_by = isKnown ? 'upgrade' : 'anna as root';
    assert.equal((await findBooks(db, currency))?.recorded_by, recorded_by);
    assert.deepEqual(await auditNow(db), []);
  }
});

test('of accounts created first and simultaneously, one creates the books', async (t) => {
  const db = await freshDatabase(t);
  const account = { name: 'Test', currency: 'KWD', limits: {} };
  await Promise.all(
    Array.from({ length: 4 }, () => db.transaction((tx) => createAccount(tx, clock, account))),
  );
  const rows = await db.query(sql`select currency, exponent::int as exponent, recorded_by from books`);
  assert.deepEqual(rows, [{ currency: 'KWD', exponent: 3, recorded_by: 'service' }]);
  await assert.rejects(db.query(sql`update books set exponent = 2`), /never changes/);
  await assert.rejects(db.query(sql`delete from books`), /never changes/);
  await assert.rejects(db.query(sql`truncate books`), /never changes/);
  assert.deepEqual(await auditNow(db), []);
});
