import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { findBooks } from '../../server/db/queries/money/books.ts';
import { createAccount } from '../../server/domain/accounts/create-account.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { answerExponent, requireExponent } from '../../server/domain/billing/books-exponent.ts';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ConfigError } from '../../server/platform/config-error.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { backgroundTasks, type TaskParts } from '../../server/start/background-tasks.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation } from '../jobs/support/installation.ts';
import { startOperator } from '../operator/support.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { storedVm } from './support.ts';

const AT = '2026-01-10T00:00:00Z';
const logger = createLogger({ logLevel: 'silent' });

/** Changes rows that the store refuses to change, like a superuser. */
function unguarded(db: Database, statement: ReturnType<typeof sql>): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(statement);
  });
}

/**
 * Deletes the record of the books: their state after a release whose runtime disagreed with ISO 4217 about the
 * decimals.
 */
const forget = (db: Database) => unguarded(db, sql`delete from books`);

const findings = async (db: Database) => (await auditNow(db)).map(({ law, what }) => `${law}: ${what}`);

test('the first account creates the books, with the decimals of its currency', async (t) => {
  for (const [currency, exponent] of [
    ['EUR', 2],
    ['HUF', 2],
    ['JPY', 0],
    ['KWD', 3],
  ] as const) {
    const db = await freshDatabase(t);
    const clock = new ManualClock(AT);
    assert.equal(await findBooks(db, currency), undefined);
    for (let n = 0; n < 2; n++) {
      await db.transaction((tx) => createAccount(tx, clock, { name: 'Test', currency, limits: {} }));
      clock.advance(1_000);
    }
    const recorded_at = new Date(AT);
    assert.deepEqual(await findBooks(db, currency), {
      currency,
      exponent,
      recorded_at,
      recorded_by: 'service',
    });
    await requireExponent(db, { currency }, logger);
    assert.deepEqual(await findings(db), []);
    await assert.rejects(db.query(sql`update books set exponent = 1`), /never changes/);
    await assert.rejects(db.query(sql`delete from books`), /never changes/);
  }
});

test("a start with another exponent than the books' is refused, with instructions", async (t) => {
  const db = await freshDatabase(t);
  await db.transaction((tx) =>
    createAccount(tx, new ManualClock(AT), { name: 'Test', currency: 'HUF', limits: {} }),
  );
  await unguarded(db, sql`update books set exponent = 0`);
  await assert.rejects(requireExponent(db, { currency: 'HUF' }, logger), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      /counts HUF with 2 decimals \(ISO 4217\), but the books .* with no decimals.*docs/,
    );
    return true;
  });
  assert.deepEqual(await findings(db), [
    'the books record the decimals of their currency, as in ISO 4217: HUF has 2 decimals, the books say 0',
    'the record of how amounts are counted is as it was written: books of HUF are not as they were written',
  ]);
});

/** The customers' requests that turn prices into amounts or move money. */
const MONEY: [method: 'GET' | 'POST' | 'DELETE', path: (vm: string) => string, body?: object][] = [
  ['POST', () => '', { plan: 's1', template: 'debian-12', hostname: 'web-2' }],
  ['GET', () => '/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20'],
  ['GET', (vm) => `/${vm}/plan-options`],
  ['GET', (vm) => `/${vm}/plan-quote?plan=s2`],
  ['POST', (vm) => `/${vm}/change-plan`, { plan: 's2', allow_reboot: true }],
  ['GET', (vm) => `/${vm}/delete-preview`],
  ['DELETE', (vm) => `/${vm}`],
];

test('while the exponent is unknown, money operations answer 503 and nothing is charged', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock(AT);
  const installation = await openInstallation(db, { clock });
  defer(t, () => installation.close());
  const { services } = installation;
  const customer = await openCustomer(installation, 100_00n);
  const vm = await storedVm(db, clock, customer.accountId);
  await forget(db);
  const errors: string[] = [];
  const noting = { error: (_about: object, text: string) => errors.push(text) } as unknown as typeof logger;
  await requireExponent(db, services.catalog, noting);
  assert.match(errors.join(), /until you run `vaubanctl books exponent`/, 'the start goes on, and says so');
  assert.deepEqual(await findings(db), [
    'the books record the decimals of their currency, as in ISO 4217: EUR has 2 decimals, the books say nothing',
  ]);

  const ask = (of: (typeof MONEY)[number]) =>
    customer.call({ method: of[0], path: `/v1/vm${of[1](vm.id)}`, body: of[2] });
  const before = await customer.wallet();
  for (const operation of MONEY) {
    const { status, error, text } = await ask(operation);
    assert.equal(status, 503, text);
    assert.equal(error?.code, 'service_unavailable');
    assert.deepEqual(error?.details, { retry_after_seconds: 300 });
    assert.match(error!.message, /paused until the operator has confirmed/);
  }
  for (const path of [
    '/v1/billing/wallet',
    `/v1/vm/${vm.id}`,
    '/v1/vm',
    '/v1/billing/orders',
    '/v1/public/plans',
  ])
    assert.equal((await customer.call({ method: 'GET', path })).status, 200, path);
  const unknown = await customer.call({ method: 'DELETE', path: '/v1/vm/vm_00000000000000000000000000' });
  assert.equal(unknown.status, 404, 'what is not there is said first');
  // A new account does not settle the question of the decimals.
  await openCustomer(installation, 0n);
  assert.equal(await findBooks(db, 'EUR'), undefined);

  const parts = { claim: { isAlone: true } } as unknown as TaskParts;
  const tasks = backgroundTasks(services, parts);
  const renew = () => tasks.find(({ name }) => name === 'renew_vms')!.run(new AbortController().signal);
  clock.advance(vm.billing_period_end_at.getTime() - clock.now().getTime() + 60_000);
  await renew();
  assert.deepEqual(await customer.wallet(), before, 'no timer charges either');

  await db.transaction((tx) =>
    answerExponent(tx, clock, services.catalog, { exponent: 2, actor: 'anna as root' }),
  );
  await renew();
  const { available_minor } = await customer.wallet();
  assert.ok(available_minor < before.available_minor, 'the renewal is made up for');
  const statuses = await Promise.all(
    MONEY.slice(1, 4).map(async (operation) => (await ask(operation)).status),
  );
  assert.deepEqual(statuses, [200, 200, 200]);
});

test('an operator answers once, on record, and no answer changes booked amounts', async (t) => {
  const { db, get, post, newAccount } = await startOperator(t);
  const empty = (await get('/books')).json().data;
  assert.deepEqual([empty.currency, empty.exponent, empty.paused], ['EUR', null, false]);
  const id = await newAccount();
  await forget(db);
  const credit = () => post(`/accounts/${id}/credits`, { amount: '10.00', reference: 'transfer 1' });
  for (const refused of [await credit(), await get('/bookings?month=2026-01&format=csv')]) {
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.json().error.code, 'service_unavailable');
  }
  assert.equal((await get('/books')).json().data.paused, true);
  for (const [exponent, message] of [
    [0, /is 0, but this release counts EUR with 2 decimals.*never changes booked amounts/],
    [3, /is 3/],
    [5, /at most 4|<= 4/],
  ] as const) {
    const { status, text } = await post('/books/exponent', { exponent });
    assert.equal(status, 422, text);
    assert.match(text, message);
  }
  assert.equal((await credit()).status, 503);
  const answered = (await post('/books/exponent', { exponent: 2 })).json().data;
  assert.deepEqual(
    [answered.exponent, answered.paused, answered.recorded_by],
    [2, false, userInfo().username],
  );
  assert.deepEqual(
    (await post('/books/exponent', { exponent: 2 })).json().data,
    answered,
    'again is the same',
  );
  const other = await post('/books/exponent', { exponent: 0 });
  assert.equal(other.status, 409, other.text);
  assert.equal((await credit()).status, 200);
  const log = (await get('/log')).json().data as { request: string; input: object; status: number }[];
  const asked = log.filter(({ request }) => request === 'POST /books/exponent').map(({ input }) => input);
  assert.ok(asked.length >= 4, 'every attempt is on record');
  assert.deepEqual(await findings(db), []);
});

test('the operations that wait for the answer are a reviewed list', () => {
  const named = [ENDPOINTS, PANEL_ENDPOINTS, OPERATOR_ENDPOINTS].map((roster) =>
    (roster as readonly { operation: string; money?: true }[])
      .filter(({ money }) => money)
      .map(({ operation }) => operation)
      .toSorted()
      .join(' '),
  );
  assert.deepEqual(named, [
    'changeCustom changePlan createVm deleteVm getCustomQuote getDeletePreview getPlanQuote listPlanOptions',
    'createCustomVm setAutoTopUp startTopUp',
    'bookUnbookedPayment confirmTopUp creditAccount creditOutage debitAccount downloadDocuments exportBookings exportSales getInvoiceDocument grantPromoCredit makeAdjustment refundOrder refundTopUp revokePromoCredit voidOrder',
  ]);
});
