import assert from 'node:assert/strict';
import { test } from 'node:test';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import { charge, lineOf } from '../../server/domain/billing/charge-line.ts';
import type { DocumentCheck } from '../../server/domain/billing/invoice-document.ts';
import { issueDocuments } from '../../server/domain/billing/issue-documents.ts';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { fundedAccount, storedVm, withLedger } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { SELLER } from './support/samples.ts';
import { DUTCH, documentOf, profile, sell, setProfile, termsFor } from './support/seller.ts';

test('a business that has lost its VAT id and takes a larger plan gets its document', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const logger = createLogger({ logLevel: 'error' }, { write: () => undefined });
  const documents: DocumentCheck = { check: async (_, document) => obstacleTo(document) };
  const issue = (at: string) => issueDocuments({ db, logger, documents }, new Date(at), 100, SELLER);
  const accountId = await fundedAccount(db, clock, 100_000n);
  const vm = await storedVm(db, clock, accountId);
  await setProfile(db, clock, accountId, DUTCH);
  await sell(db, clock, vm, [699n], termsFor(DUTCH));
  await issue('2026-02-01T00:10:00Z');

  clock.set(new Date('2026-02-05T00:00:00Z'));
  await setProfile(db, clock, accountId, profile());
  const service = { startAt: clock.now(), endAt: vm.billing_period_end_at };
  const unit = { unit: 'month' as const, quantity: 1, unit_price: '1.00' };
  // Like a change of plan: the refund keeps the tax of its sale.
  const lines = [
    lineOf({ ...unit, description: 'Unused time on Shared S2' }, -300n, termsFor(DUTCH), service, true),
    lineOf({ ...unit, description: 'Remaining time on Shared S4' }, 999n, termsFor(profile()), service, true),
  ];
  const { invoice_id } = await withLedger(db, clock, (ledger) =>
    settleNow(ledger, {
      ...{ accountId, vmId: vm.id, kind: 'change_plan', charge: charge(lines), at: clock.now() },
    }),
  );
  await issue('2026-03-01T00:10:00Z');
  const { invoice } = await documentOf(db, accountId, invoice_id!);
  assert.deepEqual([invoice.status, invoice.buyer?.vat_id], ['paid', DUTCH.vat_id]);
  assert.deepEqual(await ledgerProblems(db), []);
});
