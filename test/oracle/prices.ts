import { hourOf, type Vm } from './account.ts';
import { monthFrom, type Span } from './calendar.ts';
import { customAt, dayStart, findPlan, noticeOf, type PriceList, type Product, planAt } from './tariff.ts';

/** The prices at which VMs renew, and when their owners are notified. */

const DAY = 86_400_000;
/** A VM never ends with its plan on shorter notice. */
const LEAST_NOTICE = 7 * DAY;

/** The catalog's price of a VM for a month from `at` on, whether or not its owner was notified. */
function asked(vm: Vm, list: PriceList, at: number, soldAt = vm.soldAt, sold = hourOf(vm)): Product {
  const { product } = vm;
  const { plan } = product;
  // A plan that left the catalog keeps its price, and a product no longer offered hourly keeps its hourly price.
  if (plan !== null && !findPlan(list, plan)) return { ...product, hour: sold };
  const listed = plan === null ? customAt(product, list, at, soldAt) : planAt(list, plan, at, soldAt);
  return { ...product, price: listed.price, hour: listed.hour ?? sold };
}

/** The VM's configuration at today's price for a sale. */
export const asSold = (vm: Vm, list: PriceList, now: number) => asked(vm, list, now, now);

export interface Month {
  span: Span;
  product: Product;
}

/**
 * The coming months of a VM that renews. A higher price applies only if its owner was notified in time, or still can
 * be.
 */
export function* comingMonths(vm: Vm, list: PriceList, now: number): Generator<Month, never> {
  const notice = noticeOf(list);
  const isHourly = hourOf(vm) !== null;
  let before: Product = { ...vm.product, hour: hourOf(vm) };
  for (let span = monthFrom(vm.paid.to, vm.day); ; span = monthFrom(span.to, vm.day)) {
    const wanted = asked(vm, list, span.from, vm.soldAt, before.hour);
    const latest = span.from - notice;
    const { told } = vm;
    const knows =
      now <= latest ||
      (told !== null && told.price === wanted.price && told.at <= latest && told.from <= span.from);
    const product = { ...wanted };
    const isDearer = wanted.price > before.price;
    if (notice > 0 && before.hour && wanted.hour?.exceeds(before.hour) && !(isDearer && knows))
      product.hour = before.hour;
    if (notice > 0 && isDearer && !knows) {
      product.price = before.price;
      product.hour = before.hour ?? wanted.hour;
    }
    yield { span, product };
    before = isHourly ? product : { ...product, hour: null };
  }
}

/** The product of a VM's next renewal. For a suspended VM that is a new sale. */
export function renewed(vm: Vm, list: PriceList, now: number): Product {
  return vm.suspendedAt === null ? comingMonths(vm, list, now).next().value.product : asSold(vm, list, now);
}

const hasEnded = ({ retiresAt }: Vm, end: number) => retiresAt !== null && end >= retiresAt;

/** Returns whether a VM renews at the end of its month. */
export const renews = (vm: Vm) => vm.autoRenew && !hasEnded(vm, vm.paid.to);

/** Forgets the price that its owner was notified of once a month from `from` on is paid. */
export function forgetTold(vm: Vm, from: number): void {
  if (vm.told && vm.told.from <= from) vm.told = null;
}

/** Notifies the owner of a VM of a higher price or the end of its plan. */
export function tell(vm: Vm, list: PriceList, now: number): void {
  vm.retiresAt = retirement(vm, list, now);
  if (vm.told && asked(vm, list, vm.told.from).price !== vm.told.price) vm.told = null;
  if (!vm.autoRenew || vm.suspendedAt !== null || noticeOf(list) === 0) return;
  let before = vm.product.price;
  for (const { span, product } of comingMonths(vm, list, now)) {
    if (span.from < now + noticeOf(list)) {
      before = product.price;
      continue;
    }
    const isNews = product.price > before && !hasEnded(vm, span.from);
    // One notice at a time.
    if (isNews && !(vm.told && (vm.told.price === product.price || vm.told.from <= span.from)))
      vm.told = { price: product.price, at: now, from: span.from };
    return;
  }
}

/**
 * When a VM ends because its plan is retired: with its first month that ends after the retirement and leaves enough
 * notice.
 */
function retirement(vm: Vm, list: PriceList, now: number): number | null {
  const day = vm.product.plan === null ? undefined : findPlan(list, vm.product.plan)?.retires_on;
  if (day === undefined) return null;
  const from = dayStart(day);
  const told = vm.retiresAt !== null && vm.retiresAt >= from ? vm.retiresAt : null;
  if (vm.suspendedAt !== null || !vm.autoRenew) return told;
  const earliest = Math.max(from, now + Math.max(noticeOf(list), LEAST_NOTICE));
  let end = vm.paid.to;
  while (end < earliest) end = monthFrom(end, vm.day).to;
  return told !== null && told < end ? told : end;
}

/** Returns the next price of a VM that differs from its present one, within the announced prices. */
export function nextPrice(vm: Vm, list: PriceList, now: number): { price: bigint; from: number } | null {
  if (vm.suspendedAt !== null) return null;
  const { plan, price } = vm.product;
  const item = plan === null ? list.custom : findPlan(list, plan);
  const changes = (item?.prices ?? []).map(({ valid_from, existing_from = valid_from }) =>
    dayStart(existing_from),
  );
  const last = Math.max(now + noticeOf(list), ...changes);
  for (const { span, product } of comingMonths(vm, list, now)) {
    if (!vm.autoRenew || hasEnded(vm, span.from)) return null;
    if (product.price !== price) return { price: product.price, from: span.from };
    if (span.from >= last) return null;
  }
  return null;
}
