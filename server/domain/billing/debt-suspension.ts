import type { Catalog } from '../catalog/catalog-schema.ts';
import type { EventText } from '../vms/events.ts';
import { formatMinor, toJsonInteger } from './money.ts';

const HOUR_MS = 3_600_000;

/** Returns when the VMs of an account are switched off for a debt of which it was warned then; null where they are not. */
export function debtSuspendsAt({ debt }: Pick<Catalog, 'debt'>, warnedAt: Date | null): Date | null {
  return debt && warnedAt ? new Date(warnedAt.getTime() + debt.suspend_after_hours * HOUR_MS) : null;
}

/** The account owes something, and the VM will be switched off for it. */
export function debtDue(currency: string, owed: bigint, suspendsAt: Date): EventText {
  const amount = formatMinor(owed, currency);
  return {
    type: 'billing.debt_due',
    message: `The account owes ${amount}. Unless that is paid, the VM will be switched off on ${suspendsAt.toISOString()}. Top up ${amount} to keep it running.`,
    metadata: { suspends_at: suspendsAt, amount_minor: toJsonInteger(owed), currency },
  };
}

/** It was switched off for that. */
export const DEBT_SUSPENDED: EventText = {
  type: 'billing.debt_suspended',
  message: 'The VM was switched off because the account owes money. It will be back once the debt is paid.',
};

/** The account owes nothing any more. */
export const DEBT_SETTLED: EventText = {
  type: 'billing.debt_settled',
  message: 'The debt of the account is settled, and the VM is no longer suspended for it.',
};
