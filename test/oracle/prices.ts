import { hourOf, type Vm } from './account.ts';
import { monthFrom, type Span } from './calendar.ts';
import { customAt, dayStart, findPlan, type PriceList, type Product, planAt } from './tariff.ts';

/** What VMs are renewed at, and when their owners are told of that. */

const DAY = 86_400_000;
/** No VM ends with its plan on a shorter notice. */
const LEAST_NOTICE = 7 * DAY;

const noticeOf = ({ price_notice_days = 0 }: PriceList) => price_notice_days * DAY;

/** What the catalog asks of a VM for a month from `at` on, whether or not its owner knows. */
function asked(vm: Vm, list: PriceList, at: number, soldAt = vm.soldAt, sold = hourOf(vm)): Product {
  const { product } = vm;
  const { plan } = product;
  // What left the catalog keeps its price, and what is not sold by the hour any more that of its hour.
  if (plan !== null && !findPlan(list, plan)) return { ...product, hour: sold };
  const listed = plan === null ? customAt(product, list, at, soldAt) : planAt(list, plan, at, soldAt);
  return { ...product, price: listed.price, hour: listed.hour ?? sold };
}

/** What a VM has at the price of a sale. */
export const asSold = (vm: Vm, list: PriceList, now: number) => asked(vm, list, now, now);

export interface Month {
  span: Span;
  product: Product;
}

/** The months to come of a VM that is renewed: a dearer one only where its owner was told in time, or still can be. */
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

/** What a VM is renewed as next. One that is switched off is a new sale. */
export function renewed(vm: Vm, list: PriceList, now: number): Product {
  return vm.suspendedAt === null ? comingMonths(vm, list, now).next().value.product : asSold(vm, list, now);
}

const hasEnded = ({ retiresAt }: Vm, end: number) => retiresAt !== null && end >= retiresAt;

/** Whether a VM is renewed once its month is over. */
export const renews = (vm: Vm) => vm.autoRenew && !hasEnded(vm, vm.paid.to);

/** What is remembered of a price that was told, once a month from `from` on is paid. */
export function forgetTold(vm: Vm, from: number): void {
  if (vm.told && vm.told.from <= from) vm.told = null;
}

/** Tells the owner of a VM what there is to tell. */
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

/** When a VM ends because its plan is retired: with the first month that ends by then, of which there is notice. */
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

/** The next price of a VM that differs from its present one, as far as prices are announced. */
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
