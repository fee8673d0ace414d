import type { Transaction } from '../../db/database.ts';
import type { MeteredVm } from '../../db/queries/money/meters.ts';
import { lastDepositOf, type OrderRow } from '../../db/queries/money/orders.ts';
import type { VmConfiguration, VmIdentity } from '../../db/queries/vms/vm-parts.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { currentConfiguration, hasDeposit, runningPeriod } from '../vms/configuration.ts';
import type { DueMonth } from './arrears.ts';
import { charge, depositAt, lineOf, monthAt } from './charge-line.ts';
import { releaseCharge } from './deposits.ts';
import { settleNow } from './ledger.ts';
import type { Charge } from './pricing.ts';
import { usedAhead } from './used-ahead.ts';
import { ledger } from './vm-orders.ts';

interface SettleServices {
  clock: Clock;
  catalog: Catalog;
}

/** The columns of a VM without a deposit. */
const NONE = { deposit_minor: null, deposit_since: null } as const;

/**
 * Sells the usage of a VM's ended period out of its deposit, once, whether or not the VM is renewed. Also sells a
 * deposit that a node of the last release overlooked: now is the latest time, because a renewal's deposit would replace
 * it, and it would stay held forever. Returns the updated VM. The caller holds the VM's lock.
 */
export async function endDeposit<V extends MeteredVm>(
  services: SettleServices,
  tx: Transaction,
  vm: V,
  now: Date,
): Promise<V> {
  if (vm.deposit_minor === null || vm.billing_period_end_at > now) return vm;
  if (!hasDeposit(vm)) {
    await sellOverlookedDeposit(services, tx, vm, now);
    return { ...vm, ...NONE };
  }
  const end = vm.billing_period_end_at;
  // The amount that a change kept for traffic does not pay for the time since then.
  const period = { ...runningPeriod(vm), usedAhead: usedAhead(vm, services.catalog, null, end) };
  await sellUsage(
    services,
    tx,
    vm,
    releaseCharge(currentConfiguration(vm, services.catalog), period, end),
    now,
  );
  // The rounding remainder ends with the period.
  const ended = { ...NONE, rounding_remainder: 0n, usage_sold_until: end };
  await updateVm(tx, vm.id, ended, now);
  return { ...vm, ...ended };
}

/** Sells the usage of a month that was already over when it was renewed; its deposit was taken just before. */
export async function endMissedMonth(
  services: SettleServices,
  tx: Transaction,
  vm: VmIdentity & VmConfiguration & Pick<VmRow, 'currency'>,
  { charge: sale, period, price_monthly_minor }: DueMonth,
  now: Date,
): Promise<void> {
  if (sale.deposit === null || period.endAt > now) return;
  const configuration = { ...currentConfiguration(vm, services.catalog), price_monthly_minor };
  const terms = { currency: vm.currency, taxRate: sale.tax_rate };
  const { metering, deposit, remainder } = sale;
  const month = { ...period, terms, metering, deposit, remainder };
  await sellUsage(services, tx, vm, releaseCharge(configuration, month, period.endAt), now);
}

/**
 * Sells the deposit of a VM that a node of the last release has renewed, changed or deleted. Such a node treats the
 * period as sold in advance, and this makes it so.
 */
export async function sellOverlookedDeposit(
  services: SettleServices,
  tx: Transaction,
  vm: VmIdentity & VmConfiguration & Pick<VmRow, 'currency' | 'deposit_minor'>,
  now: Date,
): Promise<void> {
  const { name } = currentConfiguration(vm, services.catalog);
  const held = await lastDepositOf(tx, vm.id);
  const period = { startAt: held.from_at, endAt: held.to_at };
  const terms = { currency: vm.currency, taxRate: held.tax_rate };
  const amount = vm.deposit_minor!;
  const release = depositAt(`Released deposit for ${name}`, amount, terms);
  const lines = [
    lineOf(release, -amount, terms, period, true),
    lineOf(monthAt(name, amount, terms), amount, terms, period, true),
  ];
  await sellUsage(services, tx, vm, charge(lines), now);
  await updateVm(tx, vm.id, NONE, now);
}

function sellUsage(
  services: SettleServices,
  tx: Transaction,
  { id: vmId, account_id: accountId }: VmIdentity,
  sold: Charge,
  at: Date,
): Promise<OrderRow> {
  return settleNow(ledger(services, tx), { accountId, vmId, kind: 'hourly_usage', charge: sold, at });
}
