import { type Account, hourOf, sum, type Vm } from './account.ts';
import { debtOf, lackingFor, spendableOf } from './books.ts';
import { changeCharge, monthCharge, noChange, type Sale } from './charges.ts';
import type { Expected } from './differences.ts';
import { hourPrice, unitPrice } from './net-prices.ts';
import { Rational } from './rational.ts';
import {
  customAt,
  dated,
  dayStart,
  hourText,
  isSold,
  type ListedPlan,
  nextOf,
  type Parts,
  type PriceList,
  type Product,
  planAt,
  type Size,
  shownHour,
} from './tariff.ts';
import { previewPromo } from './views.ts';

/** Quotes and price lists as the API should show them. */

const MINUTE = 60_000;
const date = (at: number) => new Date(at);

/** A quote is valid for five minutes, or until a price changes. */
function validUntil(list: PriceList, now: number): number {
  const changes = [...list.plans, list.custom].flatMap(({ prices = [] }) =>
    prices.map(({ valid_from }) => dayStart(valid_from)),
  );
  return Math.min(now + 5 * MINUTE, ...changes.filter((at) => at > now));
}

/** A quote of a charge, after which an hour costs `hour`, null if it is not billed by the hour. */
function quote(
  account: Account,
  charge: Sale,
  hour: Product['hour'],
  now: number,
  list: PriceList,
): { readonly [field: string]: Expected } {
  const tax = sum(charge.lines.map((line) => line.tax));
  const lacking = lackingFor(account, charge.total);
  return {
    currency: list.currency,
    lines: charge.lines.map(({ description, amount }) => ({ description, amount_minor: amount })),
    subtotal_minor: charge.total - tax,
    tax_minor: tax,
    total_minor: charge.total,
    price_hourly: shownHour(hour, list.currency),
    balance_available_minor: spendableOf(account),
    debt_minor: debtOf(account),
    shortfall_minor: lacking,
    sufficient: lacking === 0n,
    as_of: date(now),
    valid_until: date(validUntil(list, now)),
  };
}

function isSame({ product }: Vm, to: Product): boolean {
  return to.plan === null
    ? to.vcpu === product.vcpu && to.ram_mb === product.ram_mb && to.disk_gb === product.disk_gb
    : to.plan === product.plan;
}

/** Returns the charge for changing a VM, whether or not the change is allowed now. */
export function change(vm: Vm, to: Product, now: number, list: PriceList): Sale {
  return isSame(vm, to) ? noChange(vm, list) : changeCharge(vm, to, now, list);
}

export function changeQuote(account: Account, vm: Vm, to: Product, now: number, list: PriceList): Expected {
  const charge = change(vm, to, now, list);
  const taken = charge.lines.at(-1)!.amount;
  const { price } = vm.product;
  const hour = isSame(vm, to) ? hourOf(vm) : charge.hoursSince === null ? null : to.hour;
  return {
    ...quote(account, charge, hour, now, list),
    direction: to.price === price ? 'lateral' : to.price > price ? 'upgrade' : 'downgrade',
    credit_minor: taken - charge.total,
    debit_minor: taken,
    net_minor: charge.total,
    ...previewPromo(account, vm, charge),
  };
}

/** A quote of parts for a month, hourly if requested. */
export function monthQuote(
  account: Account,
  size: Size,
  mode: Vm['nextMode'],
  now: number,
  list: PriceList,
): Expected {
  const product = customAt(size, list, now);
  const charge = monthCharge(product, { from: now, to: now }, list, mode);
  const hour = charge.hoursSince === null ? null : product.hour;
  return quote(account, charge, hour, now, list);
}

const modes = (isHourly: boolean) => (isHourly ? ['monthly', 'hourly'] : ['monthly']);

export function plan(listed: ListedPlan, list: PriceList, now: number): Expected {
  const { code, retires_on = null } = listed;
  const priced = (at: number) => {
    const { price, hour } = planAt(list, code, at);
    return {
      price_monthly_minor: price,
      price_hourly: shownHour(hour, list.currency),
      billing_modes: modes(hour !== null),
    };
  };
  const next = nextOf<string, ListedPlan>(listed, now);
  const from = next && dayStart(next.valid_from);
  return {
    ...{ code, ...priced(now), retires_on, deprecated: !isSold(listed, now) },
    next_price: from === undefined ? null : { ...priced(from), from_at: date(from) },
  };
}

export function parts(list: PriceList, now: number): Expected {
  const { custom, currency, share } = list;
  const priced = (at: number, part: keyof Parts) => {
    const { price_monthly, price_hourly } = dated<Parts, PriceList['custom']>(custom, at, at);
    const month = unitPrice(Rational.parse(price_monthly[part]), share);
    const hour = price_hourly
      ? hourText(hourPrice(Rational.parse(price_hourly[part]), month, share), currency)
      : null;
    return { price_monthly: share ? hourText(month, currency) : price_monthly[part], price_hourly: hour };
  };
  const next = nextOf<Parts, PriceList['custom']>(custom, now);
  const from = next && dayStart(next.valid_from);
  const component = (name: string, part: keyof Parts) => ({
    ...{ component: name, ...priced(now, part) },
    next_price: from === undefined ? null : { ...priced(from, part), from_at: date(from) },
  });
  const isHourly = dated<Parts, PriceList['custom']>(custom, now, now).price_hourly !== undefined;
  return {
    currency,
    billing_modes: modes(isHourly),
    components: [component('vcpu', 'vcpu'), component('ram', 'ram_gb'), component('disk', 'disk_gb')],
  };
}
