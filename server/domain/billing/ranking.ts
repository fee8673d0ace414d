import type { VmRow } from '../../db/queries/vms/vms.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import { min, sum } from './money.ts';
import { nextRenewal, type Renewal } from './overview.ts';

/** A VM's rank in its account when the wallet does not cover all renewals: the lower number is renewed first. */
export const RENEWAL_PRIORITY = { minimum: 1, maximum: 1000, default: 100 } as const;

export interface Funds {
  available_minor: bigint;
  /** The promotional credit in it, soonest end first, which is the order in which it is spent. */
  credits: { remaining_minor: bigint; ends_at: Date }[];
}

/**
 * Returns the shortfall for a VM's next renewal, 0 if it is covered; null if the VM does not renew. Renewals are paid
 * in the order in which they fall due, then by the owner's ranking; if one is not covered, the money goes to the next.
 * The shortfall includes the renewals that come before, and credit that will have expired unspent.
 */
export function lackingFor(
  vmId: string,
  vms: VmRow[],
  funds: Funds,
  catalog: SalesCatalog,
  now: Date,
): { renewal: Renewal; lacking_minor: bigint } | null {
  let left = funds.available_minor;
  let credits = funds.credits;
  let ended = 0n;
  let total = 0n;
  for (const renewal of inOrder(vms, catalog, now)) {
    const { vm_id, amount_minor, due_at } = renewal;
    const over = credits.filter(({ ends_at }) => ends_at > now && ends_at <= due_at);
    const lost = sum(over.map(({ remaining_minor }) => remaining_minor));
    credits = credits.filter((credit) => !over.includes(credit));
    left -= lost;
    ended += lost;
    total += amount_minor;
    const covered = left >= amount_minor;
    if (vm_id === vmId)
      return { renewal, lacking_minor: covered ? 0n : total - (funds.available_minor - ended) };
    if (!covered) continue;
    left -= amount_minor;
    credits = spend(credits, amount_minor);
  }
  return null;
}

/** Returns the credit that is left after `amount` was spent; money pays for what credit does not cover. */
function spend(credits: Funds['credits'], amount: bigint): Funds['credits'] {
  let due = amount;
  return credits.map(({ remaining_minor, ends_at }) => {
    const taken = min(remaining_minor, due);
    due -= taken;
    return { remaining_minor: remaining_minor - taken, ends_at };
  });
}

/** Returns all renewals of an account in the order in which they are paid; overdue ones are due now. */
function inOrder(vms: VmRow[], catalog: SalesCatalog, now: Date): Renewal[] {
  const dueAt = (vm: VmRow) => Math.max(vm.billing_period_end_at.getTime(), now.getTime());
  return vms
    .toSorted(
      (a, b) => dueAt(a) - dueAt(b) || a.renewal_priority - b.renewal_priority || (a.id < b.id ? -1 : 1),
    )
    .map((vm) => nextRenewal(vm, catalog, now))
    .filter((renewal) => renewal !== null);
}
