import type { Transaction } from '../../db/database.ts';
import { netOfPeriod } from '../../db/queries/money/adjustments.ts';
import { findBillingProfile } from '../../db/queries/money/billing-profiles.ts';
import type { OrderRow } from '../../db/queries/money/orders.ts';
import { lockWallet, type WalletRow } from '../../db/queries/money/wallets.ts';
import { updateVm, type VmView } from '../../db/queries/vms/vms.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import {
  type AddOn,
  type AddOnUnits,
  addOnCharge,
  addOnRefund,
  addOnsOf,
  keptPrice,
  periodOf,
  storedAddOns,
} from '../billing/add-ons.ts';
import { purchaseRefusal, requireAtMost, requireFree, settleNow, unpaidDebt } from '../billing/ledger.ts';
import { max, microsToMinor, parseMicros } from '../billing/money.ts';
import { type Charge, charge, termsOf } from '../billing/pricing.ts';
import { ledger } from '../billing/vm-orders.ts';
import { catalogFor, type SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findAddOn } from '../catalog/lookup.ts';
import { catalogAt } from '../catalog/prices.ts';
import { requireKnownCountry } from '../tax/billing-profile.ts';
import type { TaxedBuyer } from '../tax/tax.ts';
import { runningPeriod } from './configuration.ts';
import { refusalsOf, requirePaid } from './decide-change.ts';
import { requireAllowed, requireWhole } from './states.ts';

/** The number of units of an add-on that a VM should have; 0 gives the add-on up. */
export interface AddOnWish {
  /** The add-on's code. */
  addOn: string;
  quantity: number;
}

/** The outcome of a request, whether or not it is possible. */
export interface AddOnDecision {
  /** At `now`; the quote and the charge are the same. */
  charge: Charge;
  /** The add-on afterwards; null if it is given up. */
  after: AddOn | null;
  /** Why it is refused, in the order of the checks; empty if it is allowed. */
  refusals: ApiError[];
}

export interface AddOnTerms {
  /** At the buyer's prices. */
  catalog: SalesCatalog;
  /** The owner of the VM, for tax purposes. */
  buyer: TaxedBuyer | undefined;
  now: Date;
  /** The wallet, for quotes: nothing can be bought while its account has a debt. */
  wallet?: WalletRow;
}

/**
 * Decides on a purchase, a change of quantity or the removal of an add-on. Quotes and orders both use it. The new quantity
 * is sold at today's price for the rest of the VM's period, and the unused time of the old one is refunded.
 *
 * Throws `validation_failed` for an add-on that neither the catalog nor the VM has.
 */
export function decideAddOn(
  vm: VmView,
  { addOn: code, quantity }: AddOnWish,
  { catalog: all, buyer, now, wallet }: AddOnTerms,
): AddOnDecision {
  const catalog = catalogAt(all, now);
  const held = addOnsOf(vm).find((addOn) => addOn.code === code) ?? null;
  const to = unitsFor(catalog, code, quantity, held);
  const refusals = refusalsOf(
    () => requireAllowed(vm, 'configure'),
    () => requireMade(vm),
    () => requireWhole(vm),
    () => requirePaid(vm, now),
    () => requireOther(held, quantity),
    () => to && requireKnownCountry(buyer),
  );
  const running = runningPeriod(vm);
  const terms = { ...termsOf(catalog, buyer), currency: vm.currency };
  const decided = to
    ? addOnCharge(held, to, running, now, terms)
    : { charge: held ? addOnRefund(held, running, now, vm.currency) : charge([]), after: null };
  const refusal = wallet && unpaidDebt(wallet) > 0n && purchaseRefusal(wallet, decided.charge.total_minor);
  return { ...decided, refusals: refusal ? [...refusals, refusal] : refusals };
}

/** Returns the units that are wished for at the catalog's price; null if the add-on is given up. */
function unitsFor(
  catalog: SalesCatalog,
  code: string,
  quantity: number,
  held: AddOn | null,
): AddOnUnits | null {
  const listed = findAddOn(catalog, code);
  const isMore = quantity > (held?.quantity ?? 0);
  if ((!listed && !held) || (isMore && (!listed || listed.deprecated)))
    throw invalidField('add_on', 'not_found', `there is no add-on ${code} to buy`);
  if (!Number.isInteger(quantity) || quantity < 0 || (isMore && quantity > listed!.max_quantity))
    throw invalidField('quantity', 'out_of_range', `must be between 0 and ${listed?.max_quantity ?? 0}`);
  if (quantity === 0) return null;
  if (!listed) return { ...held!, quantity, price_minor: keptPrice(held!, catalog) };
  const price_minor = microsToMinor(parseMicros(listed.price_monthly), catalog.currency);
  return { code, name: listed.name, quantity, price_minor, net: catalog.sold_to.net };
}

/** A VM that is not made yet may still fail, and its period with it. */
function requireMade({ provisioned_at, status }: VmView): void {
  if (provisioned_at) return;
  throw new ApiError('invalid_state', 'The VM is not created yet.', { status, allowed: [] });
}

function requireOther(held: AddOn | null, quantity: number): void {
  if (quantity !== (held?.quantity ?? 0)) return;
  const message = held ? `The VM has ${quantity} of ${held.name} already.` : 'The VM does not have it.';
  throw new ApiError('invalid_state', message, { quantity });
}

/** Everything needed to sell an add-on. `db` holds the VM's lock. */
export interface AddOnSale {
  db: Transaction;
  services: { clock: Clock; catalog: Catalog };
  now: Date;
}

/**
 * Sets the quantity of a VM's add-on: buys it, changes its quantity or gives it up, and settles the order at once. The
 * caller is an operation with an idempotency key, holds the VM's lock, and does the work or starts its job in the same
 * transaction; it also records the event. Throws the first refusal, `price_changed` or `insufficient_funds`.
 */
export async function setAddOn(
  { db, services, now }: AddOnSale,
  vm: VmView,
  wish: AddOnWish,
  maxChargeMinor?: number,
): Promise<{ order: OrderRow; addOn: AddOn | null }> {
  const [buyer, wallet] = await Promise.all([
    findBillingProfile(db, vm.account_id),
    lockWallet(db, vm.account_id),
  ]);
  const catalog = catalogFor(services.catalog, buyer);
  const decision = decideAddOn(vm, wish, { catalog, buyer, now });
  if (decision.refusals[0]) throw decision.refusals[0];
  const { charge: price } = decision;
  requireAtMost(price, maxChargeMinor);
  requireFree(wallet, max(price.total_minor, 0n));
  const sale = { accountId: vm.account_id, vmId: vm.id, kind: 'add_on', charge: price, at: now } as const;
  const order = await settleNow(ledger(services, db), sale);
  const after = await withLimit(db, vm, decision.after);
  const others = addOnsOf(vm).filter(({ code }) => code !== wish.addOn);
  await updateVm(db, vm.id, { add_ons: storedAddOns(after ? [...others, after] : others) }, now);
  return { order, addOn: after };
}

/** If a correction has limited the refunds of the period, the limit follows the change. */
async function withLimit(db: Transaction, vm: VmView, after: AddOn | null): Promise<AddOn | null> {
  if (!after || after.refundable === null) return after;
  return { ...after, refundable: await netOfPeriod(db, periodOf(vm, after), after.code) };
}
