import type { MeteredVm } from '../../db/queries/meters.ts';
import type { Reservation } from '../../db/queries/reservations.ts';
import type { VmView } from '../../db/queries/vms.ts';
import type { WalletRow } from '../../db/queries/wallets.ts';
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

/** What a VM is to become: a plan, or a custom size, of which what is not named stays as it is. */
export type ChangeWish = { plan: string; resizeDisk: boolean } | { size: Partial<Size> };

/** What a change comes to, whether or not it is possible. */
export interface ChangeDecision {
  target: Configuration;
  /** At `now`; what is quoted is what is charged. */
  charge: Sale;
  /** Why it is refused, in the order of the checks; empty where it is allowed. */
  refusals: ApiError[];
}

export interface ChangeTerms {
  /** At the prices of `buyer`. */
  catalog: SalesCatalog;
  /** Whose VM it is, as far as tax is concerned. */
  buyer: TaxedBuyer | undefined;
  /** A running VM may be power-cycled. */
  allowReboot: boolean;
  now: Date;
  /** What is free now, where nothing is ordered yet: an order reserves it, and asks then. */
  room?: Room;
  /** The wallet, where nothing is ordered yet: while its account owes something, nothing is bought. */
  wallet?: WalletRow;
}

/** Of the VM's host, or why it says nothing, and what the VM has reserved of it. */
export interface Room {
  supply: HostSupply | ApiError;
  reserved: Reservation | undefined;
}

/**
 * Decides on a change of plan or size. The quote, the list of options and the change itself all ask this, so that none
 * of them promises what another refuses. Throws only where there is nothing to decide on: no such plan, or a size
 * outside of what is sold.
 */
export function decideChange(
  vm: VmView & MeteredVm,
  wish: ChangeWish,
  { catalog: all, buyer, allowReboot, now, room, wallet }: ChangeTerms,
): ChangeDecision {
  const catalog = catalogAt(all, now);
  const target =
    'plan' in wish ? planTarget(catalog, vm, wish) : requireCustom(catalog, sizeOf(vm, wish.size));
  // Also with `resize_disk`: the contract refuses the plan that the VM has, whatever becomes of its disk.
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
  // What changes nothing costs nothing, what rounding has left over included.
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

/** The decision, or a throw of the first refusal. */
export function requireChange(vm: VmView & MeteredVm, wish: ChangeWish, terms: ChangeTerms): ChangeDecision {
  const decision = decideChange(vm, wish, terms);
  if (decision.refusals[0]) throw decision.refusals[0];
  return decision;
}

/** It is billed by the hour, or is to be. */
const isByTheHour = ({ price_hourly_micros, next_billing_mode }: VmView) =>
  price_hourly_micros !== null || next_billing_mode === 'hourly';

function planTarget(
  catalog: SalesCatalog,
  vm: VmView,
  wish: { plan: string; resizeDisk: boolean },
): Configuration {
  // One that is not sold any more still has a size and a price.
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
    `The VM has ${plan === null ? 'this size' : `this plan or size (${plan})`} already.`,
  );
}

/**
 * After the end of its period a VM is what it was: a larger one would be had for nothing, and a smaller one would be
 * renewed instead of what its owner used. A suspended one is refused for that.
 */
function requirePaid(vm: VmView, now: Date): void {
  if (now < vm.billing_period_end_at || vm.status === 'suspended') return;
  throw new ApiError(
    'payment_due',
    `The paid period is over. The size can be changed once the VM has been renewed: ${wayBack(vm)}.`,
  );
}

function requireRoom({ supply, reserved }: Room, size: SoldSize): void {
  const wanted = reservationOf(size);
  if (reserved && !grows(reserved, wanted)) return;
  const refusal = supply instanceof ApiError ? supply : supply.refusal(wanted, reserved);
  if (refusal) throw refusal;
}

function refusalsOf(...checks: (() => unknown)[]): ApiError[] {
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
