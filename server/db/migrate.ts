import { type Clock, systemClock } from '../platform/clock.ts';
import { jitter } from '../platform/jitter.ts';
import { type Database, one, sql } from './database.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { shield } from './migrations/0002-shield.ts';
import { simulatedGuestsInside } from './migrations/0003-simulated-guests-inside.ts';
import { consoles } from './migrations/0004-consoles.ts';
import { agent } from './migrations/0005-agent.ts';
import { housekeeping } from './migrations/0006-housekeeping.ts';
import { jobAttempts } from './migrations/0007-job-attempts.ts';
import { engines } from './migrations/0008-engines.ts';
import { opsKey } from './migrations/0009-ops-key.ts';
import { operator } from './migrations/0010-operator.ts';
import { books } from './migrations/0011-books.ts';
import { dunning } from './migrations/0012-dunning.ts';
import { sealedBooks } from './migrations/0013-sealed-books.ts';
import { billingProfiles } from './migrations/0014-billing-profiles.ts';
import { adjustments } from './migrations/0015-adjustments.ts';
import { promotionalCredit } from './migrations/0016-promotional-credit.ts';
import { hourlyBilling } from './migrations/0017-hourly-billing.ts';
import { usage } from './migrations/0018-usage.ts';
import { priceChanges } from './migrations/0019-price-changes.ts';
import { wantedPower } from './migrations/0020-wanted-power.ts';
import { capacity } from './migrations/0021-capacity.ts';
import { outboundMail } from './migrations/0022-outbound-mail.ts';
import { meteredVms } from './migrations/0023-metered-vms.ts';
import { restores } from './migrations/0024-restores.ts';
import { graceEnded } from './migrations/0025-grace-ended.ts';
import { mails } from './migrations/0026-mails.ts';
import { people } from './migrations/0027-people.ts';
import { topUps } from './migrations/0028-top-ups.ts';
import { accountChanges } from './migrations/0029-account-changes.ts';
import { collectedMails } from './migrations/0030-collected-mails.ts';
import { operators } from './migrations/0031-operators.ts';
import { topUpReversals } from './migrations/0032-top-up-reversals.ts';
import { shieldThresholds } from './migrations/0033-shield-thresholds.ts';
import { tellClaims } from './migrations/0034-tell-claims.ts';
import { operatorRequests } from './migrations/0035-operator-requests.ts';
import { hosts } from './migrations/0036-hosts.ts';
import { shieldBlackholes } from './migrations/0040-shield-blackholes.ts';
import { shieldReports } from './migrations/0041-shield-reports.ts';
import { lostHostOutages } from './migrations/0042-lost-host-outages.ts';
import { clusters } from './migrations/0043-clusters.ts';
import { moveWindows } from './migrations/0044-move-windows.ts';
import { knownDevices } from './migrations/0045-known-devices.ts';
import { booksExponent } from './migrations/0047-books-exponent.ts';
import { knownCountries } from './migrations/0048-known-countries.ts';
import { disputedMoney } from './migrations/0049-disputed-money.ts';
import { debts } from './migrations/0050-debts.ts';
import { vmDebts } from './migrations/0051-vm-debts.ts';
import { documentTaxes } from './migrations/0052-document-taxes.ts';
import { deposits } from './migrations/0053-deposits.ts';
import { unbookedPayments } from './migrations/0054-unbooked-payments.ts';
import { askedSeries } from './migrations/0055-asked-series.ts';
import { sealedVms } from './migrations/0056-sealed-vms.ts';
import { throttles } from './migrations/0057-throttles.ts';
import { slowMoney } from './migrations/0059-slow-money.ts';
import { documentDetails } from './migrations/0060-document-details.ts';
import { salesByCountry } from './migrations/0061-sales-by-country.ts';
import { addOns } from './migrations/0062-add-ons.ts';
import { suspensionsAndMissingPayments } from './migrations/0063-suspensions-and-missing-payments.ts';

/**
 * One schema change and its reverse. Never edited once released; add another instead. Each is one transaction, which
 * may be tried several times (see {@link BUSY_TRIES}). The database refuses with 25001 any statement that cannot run in
 * a transaction, such as `create index concurrently` or `vacuum`; it does not belong here. Create an index in a
 * transaction, on a table that is still small or new.
 */
export interface Migration {
  name: string;
  up: string;
  down: string;
}

/** All migrations, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  shield,
  simulatedGuestsInside,
  consoles,
  agent,
  housekeeping,
  jobAttempts,
  engines,
  opsKey,
  operator,
  books,
  dunning,
  sealedBooks,
  billingProfiles,
  adjustments,
  promotionalCredit,
  hourlyBilling,
  usage,
  priceChanges,
  wantedPower,
  capacity,
  outboundMail,
  meteredVms,
  restores,
  graceEnded,
  mails,
  people,
  topUps,
  accountChanges,
  collectedMails,
  operators,
  topUpReversals,
  shieldThresholds,
  tellClaims,
  operatorRequests,
  hosts,
  shieldBlackholes,
  shieldReports,
  lostHostOutages,
  clusters,
  moveWindows,
  knownDevices,
  booksExponent,
  knownCountries,
  disputedMoney,
  debts,
  vmDebts,
  documentTaxes,
  deposits,
  unbookedPayments,
  askedSeries,
  sealedVms,
  throttles,
  slowMoney,
  documentDetails,
  salesByCountry,
  addOns,
  suspensionsAndMissingPayments,
];

/**
 * Advisory lock held during a schema change. Without it, two nodes that start together collide inside the server: even
 * `create table if not exists` fails if another session creates the same table at that moment.
 */
const MIGRATION_LOCK = 7226_0001;
const MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null)';

/**
 * Longest wait for a table lock, in milliseconds. Any statement that needs the table next, even a read, queues behind a
 * waiting migration, so this is also how long a migration can hold up the nodes that are serving.
 */
export const LOCK_TIMEOUT_MS = 300;
/** SQLSTATE of a statement that reached `lock_timeout`. */
const LOCK_TIMEOUT = '55P03';
/**
 * Number of tries in all. With the pauses they take about ten minutes: most dumps have finished by then, and the person
 * starting the service is still waiting.
 */
const BUSY_TRIES = 35;
/**
 * Longest pause after the first try, in milliseconds. It doubles with each try, so that statements queued behind one
 * try have run before the next.
 */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 40_000;

/** A migration attempt that failed because other sessions hold a lock on a table it changes. */
export interface BusyTry {
  migration: string;
  tries: number;
  of: number;
}

interface Options {
  clock?: Clock;
  /** Called for each try that failed because of a lock, except the last, whose error is thrown. */
  onBusy?: (attempt: BusyTry) => void;
  migrations?: readonly Migration[];
}

/**
 * Runs `statements` in one transaction, on one node at a time; all take effect or none. On a server, no statement waits
 * longer than {@link LOCK_TIMEOUT_MS} for a table. The wait for another node's migration is unlimited: it does not hold
 * up anyone else.
 */
async function exclusively(db: Database, ...statements: string[]): Promise<void> {
  const timeout = db.engine === 'postgres' ? [`set local lock_timeout = ${LOCK_TIMEOUT_MS}`] : [];
  const body = [`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, ...timeout, ...statements].join(';\n');
  await db.script(`begin;\n${body};\ncommit;`, { ddl: true });
}

/**
 * Retries `work`, a whole transaction, while other sessions such as `pg_dump` or someone's report lock a table that it
 * needs. After {@link BUSY_TRIES} throws an error that says what to do.
 */
async function whileBusy(
  name: string,
  { clock = systemClock, onBusy }: Options,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_TIMEOUT) throw error;
      if (tries === BUSY_TRIES)
        throw new Error(
          `Migration ${name} needs a table that another session of the database has locked for minutes, such as pg_dump ` +
            'or a long query. Nothing was changed. Wait for that session or end it, then start again.',
          { cause: error },
        );
      onBusy?.({ migration: name, tries, of: BUSY_TRIES });
      await clock.sleep(jitter(Math.min(PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS)));
    }
  }
}

async function applied(db: Database): Promise<Set<string>> {
  const { known } = await one<{ known: boolean }>(
    db,
    sql`select to_regclass('migrations') is not null as known`,
  );
  if (!known) await exclusively(db, MIGRATIONS_TABLE);
  const rows = await db.query<{ name: string }>(sql`select name from migrations`);
  return new Set(rows.map((row) => row.name));
}

/** Brings the schema up to date. Returns the names of the migrations that this call applied. */
export async function migrateUp(db: Database, options: Options = {}): Promise<string[]> {
  const done = await applied(db);
  const fresh: string[] = [];
  for (const migration of options.migrations ?? MIGRATIONS) {
    const { name } = migration;
    if (done.has(name)) continue;
    try {
      // The insert comes first: if another node was faster, the name is already taken and nothing else runs.
      await whileBusy(name, options, () =>
        exclusively(db, `insert into migrations values ('${name}', now())`, migration.up),
      );
      fresh.push(name);
    } catch (error) {
      if (!(await applied(db)).has(name)) throw error;
    }
  }
  return fresh;
}

/**
 * Throws if the database lacks a migration of this release, for example after an older backup was restored under a
 * running service. Migrations of a newer release are fine: its nodes run alongside.
 */
export async function requireMigrations(db: Database): Promise<void> {
  const rows = await db.query<{ name: string }>(sql`select name from migrations`);
  const done = new Set(rows.map(({ name }) => name));
  const missing = MIGRATIONS.filter(({ name }) => !done.has(name));
  if (missing.length > 0) throw new Error(`not applied: ${missing.map(({ name }) => name).join(', ')}`);
}

/** Undoes every applied migration, newest first. */
export async function migrateDown(db: Database): Promise<void> {
  const done = await applied(db);
  for (const { name, down } of MIGRATIONS.toReversed()) {
    if (!done.has(name)) continue;
    await whileBusy(name, {}, () => exclusively(db, `delete from migrations where name = '${name}'`, down));
  }
}
