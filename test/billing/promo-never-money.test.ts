import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../server/db/database.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { creditAccount } from '../../server/domain/accounts/book-payment.ts';
import { completeOrder, failOrder, placeOrder, settleNow } from '../../server/domain/billing/ledger.ts';
import { endPromo, grantPromo, revokePromo } from '../../server/domain/billing/promo-credits.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { depth } from '../support/depth.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { chargeOf, fundedAccount, orderOf, storedVm, withLedger } from './support.ts';

const DAY_MS = 86_400_000;
const FUNDS = 300n;

/**
 * Creates an account with money and two VMs. Each of its actions takes an amount and a number that selects the target.
 */
async function accountOf(db: Database, clock: ManualClock) {
  const accountId = await fundedAccount(db, clock, FUNDS);
  const vms = [await storedVm(db, clock, accountId), await storedVm(db, clock, accountId)];
  let paidIn = FUNDS;
  const paid = [0n, 0n];
  const pending: { id: string; vm: number; amount: bigint }[] = [];
  const credits: string[] = [];

  /** Places an order and returns its result; undefined if the wallet did not cover it. */
  const order = async (index: number, signed: bigint, write: typeof placeOrder) => {
    const vm = vms[index]!;
    const wish = { ...orderOf(clock, vm), charge: chargeOf(signed), vmId: vm.id };
    try {
      return await withLedger(db, clock, (ledger) => write(ledger, wish));
    } catch (error) {
      if ((error as { code?: string }).code !== 'insufficient_funds') throw error;
      return undefined;
    }
  };
  /** Ends one of the pending orders; returns undefined if there are none. */
  const endOne = async (which: number, write: typeof completeOrder) => {
    const [ended] = pending.splice(which % (pending.length || 1), 1);
    if (ended) await withLedger(db, clock, (ledger) => write(ledger, accountId, ended.id, clock.now()));
    return ended;
  };

  const steps = {
    async topUp(amountMinor: bigint) {
      await db.transaction((tx) => creditAccount(tx, clock, { accountId, amountMinor, method: 'test' }));
      paidIn += amountMinor;
    },
    async grant(amountMinor: bigint, which: number) {
      const until = new Date(clock.now().getTime() + (1 + which) * DAY_MS);
      const wish = { accountId, amountMinor, field: 'amount', until, reason: 'x', actor: 'x' } as const;
      credits.push((await db.transaction((tx) => grantPromo(tx, clock, wish))).credit.id);
    },
    async place(amount: bigint, which: number) {
      const placed = await order(which % 2, amount, placeOrder);
      if (placed) pending.push({ id: placed.id, vm: which % 2, amount });
    },
    async settle(amount: bigint, which: number) {
      if (await order(which % 2, amount, settleNow)) paid[which % 2]! += amount;
    },
    async refund(amount: bigint, which: number) {
      const most = paid[which % 2]!;
      const back = amount < most ? amount : most;
      if (back > 0n && (await order(which % 2, -back, settleNow))) paid[which % 2]! -= back;
    },
    async complete(_: bigint, which: number) {
      const completed = await endOne(which, completeOrder);
      if (completed) paid[completed.vm]! += completed.amount;
    },
    async fail(_: bigint, which: number) {
      await endOne(which, failOrder);
    },
    async end(_: bigint, which: number) {
      clock.advance(which * DAY_MS);
      await db.transaction((tx) => endPromo(tx, accountId, clock.now()));
    },
    async revoke(_: bigint, which: number) {
      const id = credits[which % (credits.length || 1)];
      if (id) await db.transaction((tx) => revokePromo(tx, clock, id));
    },
  };
  return { accountId, steps, paidIn: () => paidIn };
}

test('credit never becomes money', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-15T00:00:00Z');
  const step = fc.record({
    how: fc.constantFrom(
      ...(['grant', 'place', 'settle', 'refund', 'complete', 'fail', 'end', 'revoke', 'topUp'] as const),
    ),
    amount: fc.bigInt({ min: 1n, max: FUNDS }),
    which: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (chosen) => {
      const { accountId, steps, paidIn } = await accountOf(db, clock);
      for (const { how, amount, which } of chosen) {
        await steps[how](amount, which);
        const { available_minor, promo_minor } = await lookUpWallet(db, accountId);
        assert.ok(available_minor - promo_minor <= paidIn(), 'there is no more money than was paid in');
      }
      assert.deepEqual(await ledgerProblems(db), []);
    }),
    { numRuns: depth(4, 20) },
  );
});
