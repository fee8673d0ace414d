import type { MeteredVm } from '../../db/queries/money/meters.ts';
import type { WalletRow } from '../../db/queries/money/wallets.ts';
import type { Reservation } from '../../db/queries/vms/reservations.ts';
import type { VmView } from '../../db/queries/vms/vms.ts';
import { ApiError } from '../../platform/errors.ts';
import { wayBack } from '../billing/dunning-events.ts';
import { purchaseRefusal, unpaidDebt } from '../billing/ledger.ts';
import { type Configuration, changeCharge, type Sale, type Size, termsOf } from '../billing/pricing.ts';
import { usedAhead } from '../billing/used-ahead.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import { findPlan, findTemplate, isDedicated } from '../catalog/lookup.ts';
import { catalogAt } from '../catalog/prices.ts';
import { grows, type HostSupply, reservationOf, type SoldSize } from '../hosts/supply.ts';
import { requireKnownCountry } from '../tax/billing-profile.ts';
import type { TaxedBuyer } from '../tax/tax.ts';
import {
  currentConfiguration,
  planFor,
  requireCustom,
  requireHourly,
  requireNoShrink,
  requirePlan,
  requireRoomFor,
  requireSoldIn,
  runningPeriod,
} from './configuration.ts';
import { requireResizable } from './states.ts';

/** The configuration that a VM changes to: a plan, or a custom size whose unnamed fields stay the same. */
export type ChangeWish = { plan: string; resizeDisk: boolean } | { size: Partial<Size> };

/** The outcome of a change, whether or not it is possible. */
export interface ChangeDecision {
  target: Configuration;
  /** At `now`; the quote and the charge are the same. */
  charge: Sale;
  /** Why the change is refused, in the order of the checks; empty if it is allowed. */
  refusals: ApiError[];
}

export interface ChangeTerms {
  /** At the buyer's prices. */
  catalog: SalesCatalog;
  /** The owner of the VM, for tax purposes. */
  buyer: TaxedBuyer | undefined;
  /** True if a running VM may be power-cycled. */
  allowReboot: boolean;
  now: Date;
  /** The free capacity, for quotes and options. An order reserves it, and checks then. */
  room?: Room;
  /** The wallet, for quotes and options: nothing can be bought while its account has a debt. */
  wallet?: WalletRow;
}

/** The capacity of the VM's host, or the error if it is unknown, and the VM's reservation there. */
export interface Room {
  supply: HostSupply | ApiError;
  reserved: Reservation | undefined;
}

/**
 * Decides on a change of plan or size. Quotes, the list of options and the change itself all use this function, so that
 * none of them promises what another refuses. Only throws if there is nothing to decide: an unknown plan, or a size
 * outside the catalog's ranges.
 */
export function decideChange(
  vm: VmView & MeteredVm,
  wish: ChangeWish,
  { catalog: all, buyer, allowReboot, now, room, wallet }: ChangeTerms,
): ChangeDecision {
  const catalog = catalogAt(all, now);
  const target =
    'plan' in wish ? planTarget(catalog, vm, wish) : requireCustom(catalog, sizeOf(vm, wish.size));
  // Also with `resize_disk`: the contract refuses the VM's current plan, whatever happens to its disk.
  const isSame = 'plan' in wish ? wish.plan === vm.plan : hasSize(vm, target);
  const template = findTemplate(catalog, vm.template);
  const refusals = refusalsOf(
    () => isSame && refuseSame(vm),
    () => target.plan !== null && requireSoldIn(requirePlan(catalog, target.plan), vm.region),
    () => requireNoShrink(vm, target),
    () => template && requireRoomFor(template, target),
    () => isByTheHour(vm) && requireHourly(target, 'plan' in wish ? 'plan' : 'vcpu'),
    () => requirePaid(vm, now),
    () => requireKnownCountry(buyer),
    () => requireResizable(vm, allowReboot),
    () => room && !isSame && requireRoom(room, { ...target, dedicated: isDedicated(catalog, target.plan) }),
  );
  const period = runningPeriod(vm);
  const from = currentConfiguration(vm, catalog);
  // A change of nothing costs nothing, not even the rounding remainder.
  const terms = termsOf(catalog, buyer);
  const charge = isSame
    ? {
        ...changeCharge(
          from,
          from,
          { ...period, metering: null, deposit: null, remainder: 0n },
          period.endAt,
          terms,
        ),
        metering: period.metering ?? null,
      }
    : changeCharge(from, target, { ...period, usedAhead: usedAhead(vm, catalog, target, now) }, now, terms);
  const refusal = wallet && unpaidDebt(wallet) > 0n && purchaseRefusal(wallet, charge.total_minor);
  return { target, charge, refusals: refusal ? [...refusals, refusal] : refusals };
}

/** Returns the decision; throws its first refusal. */
export function requireChange(vm: VmView & MeteredVm, wish: ChangeWish, terms: ChangeTerms): ChangeDecision {
  const decision = decideChange(vm, wish, terms);
  if (decision.refusals[0]) throw decision.refusals[0];
  return decision;
}

/** Returns whether the VM is, or will be, billed hourly. */
const isByTheHour = ({ price_hourly_micros, next_billing_mode }: VmView) =>
  price_hourly_micros !== null || next_billing_mode === 'hourly';

function planTarget(
  catalog: SalesCatalog,
  vm: VmView,
  wish: { plan: string; resizeDisk: boolean },
): Configuration {
  // A plan that is no longer sold still has a size and a price.
  const plan = findPlan(catalog, wish.plan) ?? requirePlan(catalog, wish.plan);
  return planFor(vm, plan, catalog.currency, wish.resizeDisk);
}

function sizeOf(vm: Size, wish: Partial<Size>): Size {
  return {
    vcpu: wish.vcpu ?? vm.vcpu,
    ram_mb: wish.ram_mb ?? vm.ram_mb,
    disk_gb: wish.disk_gb ?? vm.disk_gb,
  };
}

function hasSize(vm: Size, { vcpu, ram_mb, disk_gb }: Size): boolean {
  return vm.vcpu === vcpu && vm.ram_mb === ram_mb && vm.disk_gb === disk_gb;
}

function refuseSame({ plan }: VmView): never {
  throw new ApiError(
    'same_plan',
    `The VM already has ${plan === null ? 'this size' : `this plan or size (${plan})`}.`,
  );
}

/**
 * After the end of its period a VM cannot be changed: a larger size would be free, and a smaller one would be renewed
 * instead of the one that was used. A suspended VM is refused for its suspension instead.
 */
export function requirePaid(vm: VmView, now: Date): void {
  if (now < vm.billing_period_end_at || vm.status === 'suspended') return;
  throw new ApiError(
    'payment_due',
    `The paid period is over. You can change the plan or size once the VM has been renewed. To renew it, ${wayBack(vm)}.`,
  );
}

function requireRoom({ supply, reserved }: Room, size: SoldSize): void {
  const wanted = reservationOf(size);
  if (reserved && !grows(reserved, wanted)) return;
  const refusal = supply instanceof ApiError ? supply : supply.refusal(wanted, reserved);
  if (refusal) throw refusal;
}

export function refusalsOf(...checks: (() => unknown)[]): ApiError[] {
  const refusals: ApiError[] = [];
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusals.push(error);
    }
  }
  return refusals;
}
