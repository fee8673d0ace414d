import {
  type Account,
  isDeposit,
  type Line,
  type Order,
  type Outage,
  soldOf,
  sum,
  type Vm,
} from './account.ts';
import { completed, netWithin, settle, spendableOf } from './books.ts';
import type { Span } from './calendar.ts';
import { type Charge, chargeOf, corrected, proportional } from './lines.ts';
import { monthAround, monthsOf } from './months.ts';
import { Rational } from './rational.ts';
import type { PriceList } from './tariff.ts';
import type { Taxed } from './tax.ts';

/** The operator's corrections: orders of their own, because booked entries never change. */

/** An order to settle, and how much promotional credit takes part; absent if credit takes part as in any order. */
export interface Decision {
  charge: Charge;
  promoMost?: bigint;
}

const WORDS = { refund: 'Refund', void: 'Void', credit: 'Credit', debit: 'Debit' } as const;

/** Money independent of any sale, at today's tax and for no service period. */
export function free(
  type: 'credit' | 'debit',
  amount: bigint,
  reason: string,
  now: number,
  list: PriceList,
): Decision {
  const description = `${WORDS[type]}: ${reason}`;
  const signed = type === 'credit' ? -amount : amount;
  const span = { from: now, to: now };
  const charge = chargeOf([corrected({ description, amount: signed, taxed: list.taxed, span }, list)]);
  return { charge, promoMost: 0n };
}

/** Lines of an order that were sold on the same terms, less their corrections. */
interface Remainder {
  description: string;
  span: Span;
  taxed: Taxed;
  amount: bigint;
  month: Span | null;
  addOn: string | null;
}

/** An order with all its corrections, and the corrections of those. */
function familyOf(account: Account, order: Order): Order[] {
  const children = completed(account).filter(({ correction }) => correction?.corrects === order);
  return [order, ...children.flatMap((child) => familyOf(account, child))];
}

function remaindersOf(account: Account, order: Order): Remainder[] {
  const lines = familyOf(account, order).flatMap((member) =>
    member.lines
      .map((line, place) => ({ line, place, own: member === order }))
      .filter(({ line }) => !isDeposit(line)),
  );
  const alike = Map.groupBy(lines, ({ line: { span, taxed, addOn } }) =>
    [addOn, span.from, span.to, taxed.rate, taxed.category].join(),
  );
  const absolute = ({ amount }: Line) => (amount < 0n ? -amount : amount);
  return [...alike.values()]
    .map((group) => {
      const [named] = group.toSorted(
        (a, b) =>
          Number(b.own) - Number(a.own) || Number(absolute(b.line) - absolute(a.line)) || a.place - b.place,
      );
      const { description, span, taxed, addOn } = named!.line;
      const amount = sum(group.map(({ line }) => line.amount));
      const place = Math.min(...group.map((member) => member.place));
      const month = monthAround(account, order.vm, span);
      return { description, span, taxed, addOn, amount, place, month };
    })
    .filter(({ amount }) => amount !== 0n)
    .sort(
      (a, b) =>
        a.place - b.place ||
        a.span.from - b.span.from ||
        Number(a.taxed.rate) - Number(b.taxed.rate) ||
        (a.addOn ?? '').localeCompare(b.addOn ?? ''),
    );
}

/** Orders that moved money, and pending refunds. */
const given = ({ orders }: Account) =>
  orders.filter(({ status, amount }) => status === 'completed' || (status === 'pending' && amount < 0n));

/** Groups the remainders by item and month, if they have one, with the most that can be refunded for each group. */
function roomsOf(account: Account, { vm }: Order, remainders: Remainder[]) {
  const items = Map.groupBy(remainders, ({ month, addOn }) => `${month?.from} ${addOn}`);
  return [...items.values()].map((group) => {
    const total = sum(group.map(({ amount }) => amount));
    const { month, addOn } = group[0]!;
    const net = month ? netWithin(given(account), vm!, month, addOn) : total;
    const least = total < net ? total : net;
    return { group, total, most: least > 0n ? least : 0n };
  });
}

const isGift = ({ correction }: Order) =>
  correction !== null && ['credit', 'refund', 'sla_credit'].includes(correction.type);

export function canCorrect(type: 'refund' | 'void', order: Order): boolean {
  if (order.status !== 'completed' || order.correction?.type === 'void') return false;
  return soldOf(order) > 0n || (type === 'void' && isGift(order));
}

export function refundable(account: Account, order: Order): bigint {
  const rooms = roomsOf(account, order, remaindersOf(account, order));
  const most = sum(rooms.map((room) => room.most));
  // An order that also refunded another item gives back no more than it charged in all.
  const total = sum(rooms.map((room) => room.total));
  const left = (most < total ? most : total) - order.owed;
  return left > 0n ? left : 0n;
}

/** Refunds an amount, or voids the whole remainder. Returns null if nothing is left. */
export function correct(
  account: Account,
  order: Order,
  { type, reason, amount }: { type: 'refund' | 'void'; reason: string; amount: bigint },
  list: PriceList,
): Decision | null {
  const remainders = remaindersOf(account, order);
  const undone = isGift(order);
  const parts = undone
    ? remainders.map((remainder) => ({ remainder, share: remainder.amount }))
    : shareOut(roomsOf(account, order, remainders), amount);
  const lines = parts
    .filter(({ share }) => share !== 0n)
    .map(({ remainder: { description, span, taxed, addOn }, share }) =>
      corrected(
        { description: `${WORDS[type]} of ${description} (${reason})`, amount: -share, taxed, span, addOn },
        list,
      ),
    );
  if (lines.length === 0) return null;
  return { charge: chargeOf(lines), promoMost: promoMostOf(order) };
}

/** A correction of a correction moves the same kinds of money back. */
function promoMostOf({ correction, draws }: Order): bigint | undefined {
  if (correction === null) return undefined;
  return correction.type === 'credit' || correction.type === 'debit'
    ? 0n
    : -sum(draws.map(({ amount }) => amount));
}

/** Gives each group its share of the amount, cumulatively rounded down to whole units. */
function shareOut(rooms: ReturnType<typeof roomsOf>, amount: bigint) {
  const amounts = proportional(
    rooms.map(({ most }) => most),
    amount,
  );
  return rooms.flatMap(({ group }, index) => {
    const shares = proportional(
      group.map((remainder) => remainder.amount),
      amounts[index]!,
    );
    return group.map((remainder, place) => ({ remainder, share: shares[place]! }));
  });
}

/** Returns the spendable amount for an order to which promotional credit contributes at most `promoMost`. */
export function spendable(account: Account, promoMost?: bigint): bigint {
  const promo = sum(account.credits.map(({ left }) => left));
  const withheld = promoMost === undefined || promoMost > promo ? 0n : promo - promoMost;
  return spendableOf(account) - withheld;
}

/** Settles a correction. From now on at most the net amount of the running month can be refunded for it. */
export function settleCorrection(
  account: Account,
  vm: Vm | null,
  decision: Decision & Pick<Parameters<typeof settle>[1], 'correction' | 'id'>,
  at: number,
): Order {
  const order = settle(account, { kind: 'adjustment', vm, ...decision }, at);
  const isOfMonth = order.lines.some(({ span }) => span.from < span.to);
  if (vm && isOfMonth && !vm.gone && !vm.deleting) {
    vm.refundable = netWithin(completed(account), vm, vm.paid);
    for (const held of vm.addOns) held.refundable = netWithin(completed(account), vm, vm.paid, held.code);
  }
  return order;
}

const isVoided = (account: Account, order: Order) =>
  completed(account).some(({ correction }) => correction?.corrects === order);

const overlap = (a: Span, b: Span): Span => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) });

/** Returns the credit for an affected VM by month; `outages` are all reported outages. */
export function slaCredit(
  account: Account,
  vm: Vm,
  outage: Outage,
  outages: Outage[],
  list: PriceList,
): Charge {
  const counted = outages.filter(
    (other) =>
      (other.vm === vm || other.region === vm.region) &&
      (other.credited || other === outage) &&
      !account.orders.some(
        (order) => order.vm === vm && order.correction?.outage === other && isVoided(account, order),
      ),
  );
  const lines = monthsOf(account, vm).flatMap(({ span, taxed }) => {
    const served = { from: span.from, to: Math.min(span.to, vm.goneAt ?? span.to) };
    const had = overlap(span, outage);
    if (had.from >= had.to || (vm.goneAt !== null && vm.goneAt <= had.from)) return [];
    const down = lengthOf(counted.map((other) => overlap(served, other)));
    const length = BigInt(served.to - served.from);
    const up = new Rational((length - down) * 100n, length);
    const rule = list.sla!.credits.findLast(({ uptime_below }) => Rational.parse(uptime_below).exceeds(up));
    const percent = rule?.percent ?? 0;
    const amount = slaAmount(account, vm, span, percent);
    const description = `SLA credit, ${percent} % of the month: ${outage.reason}`;
    return amount > 0n ? [corrected({ description, amount: -amount, taxed, span }, list)] : [];
  });
  return chargeOf(lines);
}

function slaAmount(account: Account, vm: Vm, span: Span, percent: number): bigint {
  const orders = given(account);
  const sold = orders
    .filter(({ correction }) => correction === null)
    .map((order) => ({ ...order, lines: order.lines.filter(({ unit }) => !unit.startsWith('GB')) }));
  const before = orders.filter(
    (order) => order.correction?.type === 'sla_credit' && !isVoided(account, order),
  );
  const due = new Rational(netWithin(sold, vm, span) * BigInt(percent), 100n).round();
  const open = due + netWithin(before, vm, span);
  const left = netWithin(orders, vm, span);
  return open < left ? open : left;
}

/** Milliseconds that lie in any of the spans. */
function lengthOf(spans: Span[]): bigint {
  let total = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return BigInt(total);
}
