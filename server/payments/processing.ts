import type { Transaction } from '../db/database.ts';
import { changeTopUp, type TopUpRow } from '../db/queries/top-ups.ts';
import type { Clock } from '../platform/clock.ts';

/** How often a provider is asked about a payment that it is working on: its event ends the wait, unless it is lost. */
export const RECHECK_MS = 6 * 3_600_000;

/**
 * How long a provider may say that it knows no such payment before that is believed: a key of another account, or of tests, is
 * noticed and replaced sooner.
 */
export const MISSING_MS = 48 * 3_600_000;

/**
 * Notes that the provider is working on a payment, such as a direct debit, which takes days. It does not expire from now on: the
 * provider's word ends it. That also holds for one that has expired here while its customer was paying. What is decided
 * otherwise stays so. The caller holds the lock of the top-up.
 */
export async function noteProcessing(
  tx: Transaction,
  { clock }: { clock: Clock },
  topUp: TopUpRow,
  providerRef: string | null,
): Promise<void> {
  if (topUp.status !== 'pending' && topUp.status !== 'expired') return;
  if (topUp.recheck_at && topUp.status === 'pending') return;
  await changeTopUp(tx, topUp, {
    status: 'pending',
    provider_ref: providerRef,
    expires_at: null,
    settled_at: null,
    retry_at: null,
    recheck_at: new Date(clock.now().getTime() + RECHECK_MS),
    missing_since: null,
  });
}
