import type { Transaction } from '../db/database.ts';
import { changeTopUp, type TopUpRow } from '../db/queries/money/top-ups.ts';
import type { Clock } from '../platform/clock.ts';

/**
 * Interval at which a provider is asked about a payment that it is processing. Usually its event ends the wait earlier,
 * unless the event is lost.
 */
export const RECHECK_MS = 6 * 3_600_000;

/**
 * The time for which a provider must say that it does not know a payment before this is believed. If the key belongs to
 * another account or to test mode, that is noticed and fixed sooner.
 */
export const MISSING_MS = 48 * 3_600_000;

/**
 * Notes that the provider is processing a payment, such as a direct debit, which takes days. From now on the top-up
 * does not expire: only the provider's result ends it. This also applies to a top-up that expired here while its
 * customer was paying. Any other result stays as it is. The caller holds the top-up's lock.
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
