import type { Account } from './api.ts';
import { instant, money, printFields } from './output.ts';

/** An account for people, a line a fact. */
export function printAccount({ id, name, currency, wallet, vm_count, limits, created_at }: Account): void {
  printFields({
    id,
    name,
    available: money(wallet.available_minor, currency),
    held: money(wallet.held_minor, currency),
    vms: String(vm_count),
    limits: Object.entries(limits)
      .map(([limit, value]) => `${limit}=${value}`)
      .join(' '),
    created: instant(created_at),
  });
}
