import type { Account } from './operator-api.ts';
import { instant, money, printFields } from './output.ts';

export function printAccount({
  id,
  name,
  status,
  currency,
  wallet,
  vm_count,
  limits,
  smtp,
  created_at,
}: Account): void {
  printFields({
    id,
    name,
    status,
    available: money(wallet.available_minor, currency),
    promotional: money(wallet.promo_minor, currency),
    held: money(wallet.held_minor, currency),
    owed: money(wallet.claimed_minor, currency),
    vms: String(vm_count),
    limits: Object.entries(limits)
      .map(([limit, value]) => `${limit}=${value}`)
      .join(' '),
    smtp,
    created: instant(created_at),
  });
}
