import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { orderOf, storedVm, withLedger } from '../billing/support.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { startOperator, UNKNOWN_ACCOUNT } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('credit is given, spent, listed and revoked; the statement and the export say so', async (t) => {
  const { dataDir, db, clock } = await startOperator(t);
  const ctl = async (...args: string[]) => {
    const { code, stdout, stderr } = await vaubanctl(dataDir, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const { id } = JSON.parse(await ctl('account', 'create', '--name', 'Example Ltd', '--json'));
  const wish = [
    'promo',
    'grant',
    id,
    '10',
    '--until',
    '2026-03-01',
    '--reason',
    'welcome',
    '--key',
    'welcome',
  ];
  const granted = await ctl(...wish);
  assert.match(granted, /^left: +10\.00 EUR$/m);
  assert.match(granted, /^available: +10\.00 EUR$/m);
  assert.match(granted, /^promotional: +10\.00 EUR$/m);
  assert.equal(await ctl(...wish), granted, 'given once, however often it is asked for');
  const other = await vaubanctl(dataDir, ...wish.with(3, '11'));
  assert.deepEqual([other.code, other.stdout], [1, '']);
  assert.match(other.stderr, /The key welcome was already used for a different request/);

  const vm = await storedVm(db, clock, id);
  await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, 399n)));
  const [credit, ...rest] = JSON.parse(await ctl('promo', 'list', id, '--json'));
  assert.deepEqual(rest, []);
  const { amount_minor, remaining_minor, status, actor, reason } = credit;
  assert.deepEqual(
    { amount_minor, remaining_minor, status, actor, reason },
    {
      amount_minor: 1000,
      remaining_minor: 601,
      status: 'active',
      actor: userInfo().username,
      reason: 'welcome',
    },
  );
  assert.match(await ctl('promo', 'list'), /10\.00 EUR +6\.01 EUR +active +2026-03-01T00:00:00Z +welcome/);
  assert.match(await ctl('account', 'show', id), /^promotional: +6\.01 EUR$/m);

  assert.match(await ctl('promo', 'revoke', credit.id), /^left: +0\.00 EUR\nstatus: +revoked$/m);
  const [grant, hold, ...booked] = JSON.parse(await ctl('account', 'statement', id, '--json'));
  assert.deepEqual(
    [grant, hold, booked.at(-1)].map(
      ({ reason, debit, credit: to, available_minor, promo_minor, promo_credit_id }) => [
        ...[reason, debit, to, available_minor, promo_minor, promo_credit_id],
      ],
    ),
    [
      ['promo_grant', 'promo_expense', 'promo', 1000, 1000, credit.id],
      ['hold', 'promo', 'hold', 601, 601, null],
      ['promo_revoked', 'promo', 'promo_expense', 0, 0, credit.id],
    ],
  );
  const month = clock.now().toISOString().slice(0, 7);
  const bookings = await ctl('export', 'bookings', '--month', month, '--format', 'csv');
  assert.match(
    bookings,
    new RegExp(`promo_expense,promo,10\\.00,EUR,promo_grant,.*,welcome,${credit.id},,,\\r\\n`),
  );
  assert.deepEqual(await ledgerProblems(db), []);
});

test('an invalid grant is refused by its field, and a missing one is a 404', async (t) => {
  const { dataDir, db, clock, post } = await startOperator(t);
  const ctl = (...args: string[]) => vaubanctl(dataDir, ...args);
  const { id } = JSON.parse((await ctl('account', 'create', '--name', 'Example Ltd', '--json')).stdout);
  const grant = (amount: string, until: string, reason: string) =>
    ctl('promo', 'grant', id, amount, '--until', until, '--reason', reason);
  const past = new Date(clock.now().getTime() - 1).toISOString();
  for (const [attempt, message] of [
    [grant('0', '2026-03-01', 'x'), /^vaubanctl: amount: must be greater than zero/],
    [grant('1.001', '2026-03-01', 'x'), /^vaubanctl: amount: has more decimal places/],
    [grant('1', past, 'x'), /^vaubanctl: until: must be in the future/],
    [grant('1', '2026-03-01', ' '), /^vaubanctl: reason: must be visible/],
    [grant('1', 'tomorrow', 'x'), /Use 2026-01-31/],
    [ctl('promo', 'list', UNKNOWN_ACCOUNT), /does not exist/],
    [ctl('promo', 'revoke', 'prm_x'), /does not exist/],
  ] as const) {
    const { code, stderr } = await attempt;
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
  }
  const both = await post(`/accounts/${id}/promo-credits`, { until: '2026-03-01T00:00:00Z', reason: 'x' });
  assert.equal(both.status, 422);
  assert.equal((await ctl('account', 'close', id, '--yes')).code, 0, 'nothing was given');
  assert.deepEqual(await ledgerProblems(db), []);
});

test('an account that has credit left is not closed', async (t) => {
  const { dataDir } = await startOperator(t);
  const ctl = (...args: string[]) => vaubanctl(dataDir, ...args);
  const { id } = JSON.parse((await ctl('account', 'create', '--name', 'Example Ltd', '--json')).stdout);
  const wish = ['--until', '2027-03-01', '--reason', 'x', '--json'];
  const credit = JSON.parse((await ctl('promo', 'grant', id, '1', ...wish)).stdout);
  const refused = await ctl('account', 'close', id, '--yes');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /revoke/);
  assert.equal((await ctl('promo', 'revoke', credit.id)).code, 0);
  assert.equal((await ctl('account', 'close', id, '--yes')).code, 0);
  const late = await ctl('promo', 'grant', id, '1', ...wish);
  assert.match(late.stderr, /closed/);
});
