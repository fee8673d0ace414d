import { readableTime } from '../../platform/readable-time.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import type { EventText } from '../vms/events.ts';
import { formatMinor, toJsonInteger } from './money.ts';

const HOUR_MS = 3_600_000;

/**
 * Returns when an account's VMs are switched off for a debt that it was warned of at `warnedAt`; null if they are not.
 */
export function debtSuspendsAt({ debt }: Pick<Catalog, 'debt'>, warnedAt: Date | null): Date | null {
  return debt && warnedAt ? new Date(warnedAt.getTime() + debt.suspend_after_hours * HOUR_MS) : null;
}

/** Warns that the VM will be switched off for its account's debt. */
export function debtDue(currency: string, owed: bigint, suspendsAt: Date): EventText {
  const amount = formatMinor(owed, currency);
  return {
    type: 'billing.debt_due',
    message: `The account owes ${amount}. Unless you pay, the VM will be switched off on ${readableTime(suspendsAt)}. Top up ${amount} to keep it running.`,
    metadata: { suspends_at: suspendsAt, amount_minor: toJsonInteger(owed), currency },
  };
}

export const DEBT_SUSPENDED: EventText = {
  type: 'billing.debt_suspended',
  message:
    'The VM was switched off because the account owes money. It will be available again once the debt is paid.',
};

export const DEBT_SETTLED: EventText = {
  type: 'billing.debt_settled',
  message: 'The debt of the account has been paid. The VM is no longer suspended for it.',
};
