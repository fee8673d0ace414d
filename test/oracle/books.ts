import { type Account, type Correction, type Document, type Order, sum, type Vm } from './account.ts';
import { monthOf, type Span } from './calendar.ts';
import type { Charge } from './lines.ts';

/** What is done to an account's money, at an instant. */

export function pay(
  account: Account,
  payment: { method: string; reference: string; amount: bigint },
  at: number,
) {
  account.payments.push({ ...payment, at });
  account.available += payment.amount;
}

interface Request {
  kind: string;
  vm: Vm | null;
  charge: Charge;
  id: string | null;
  correction?: Correction;
  /** The most that promotional credit pays of it, or gets back. */
  promoMost?: bigint;
}

export function place(account: Account, request: Request, at: number): Order {
  const { kind, vm, charge, id, correction = null, promoMost } = request;
  const { lines, total: amount } = charge;
  const order: Order = {
    ...{ id, kind, status: 'pending', vm, lines, amount, createdAt: at, settledAt: null },
    ...{ balanceAfter: null, document: null, draws: new Map(), correction, writtenOff: 0n },
  };
  account.orders.push(order);
  if (amount > 0n) {
    draw(account, order, promoMost ?? amount);
    account.available -= amount;
    account.held += amount;
  }
  return order;
}

export function complete(account: Account, order: Order, at: number, promoMost?: bigint): void {
  if (order.amount > 0n) account.held -= order.amount;
  else {
    giveBack(account, order, promoMost ?? -order.amount);
    account.available -= order.amount;
  }
  order.status = 'completed';
  order.settledAt = at;
  order.balanceAfter = account.available;
  const document = draft(account, order.amount < 0n ? 'credit_note' : 'invoice', at);
  document.orders.push(order);
  order.document = document;
  if (document.type === 'credit_note')
    for (const sale of salesOf(account, order)) document.corrects.add(sale.document!);
}

/** An order that is settled as it is placed. */
export function settle(account: Account, request: Request, at: number): Order {
  const order = place(account, request, at);
  complete(account, order, at, request.promoMost);
  return order;
}

/** The order of a deletion, if there is one: what it takes and the wallet does not have is written off. */
export function settleDeletion(
  account: Account,
  vm: Vm,
  charge: Charge,
  id: string | null,
  at: number,
): Order | null {
  if (charge.lines.length === 0) return null;
  const lost = writtenOff(account, charge);
  account.available += lost;
  const order = settle(account, { kind: 'delete_refund', vm, charge, id }, at);
  order.writtenOff = lost;
  return order;
}

export function writtenOff({ available }: Account, { total }: Charge): bigint {
  return total > available ? total - available : 0n;
}

export function fail(account: Account, order: Order, at: number): void {
  if (order.amount > 0n) {
    account.available += order.amount;
    account.held -= order.amount;
  }
  for (const [credit, drawn] of order.draws) credit.left += drawn;
  order.draws.clear();
  order.status = 'failed';
  order.settledAt = at;
}

/** Credit pays before money, what ends first before the rest. */
function draw({ credits }: Account, order: Order, most: bigint): void {
  let rest = most < order.amount ? most : order.amount;
  for (const credit of credits.toSorted((a, b) => a.ends - b.ends)) {
    const drawn = rest < credit.left ? rest : credit.left;
    if (drawn === 0n) continue;
    credit.left -= drawn;
    rest -= drawn;
    order.draws.set(credit, drawn);
  }
}

/** What a VM gives back is credit again, as far as credit has paid for it, what ends last before the rest. */
function giveBack({ credits, orders }: Account, order: Order, most: bigint): void {
  if (order.vm === null) return;
  const paid = orders.filter(({ vm, status }) => vm === order.vm && status === 'completed');
  let rest = most < -order.amount ? most : -order.amount;
  for (const credit of credits.toSorted((a, b) => b.ends - a.ends)) {
    const drawn = sum(paid.map(({ draws }) => draws.get(credit) ?? 0n));
    const given = rest < drawn ? rest : drawn;
    if (given <= 0n) continue;
    credit.left += given;
    rest -= given;
    order.draws.set(credit, -given);
  }
}

export function grant(account: Account, amount: bigint, ends: number): void {
  account.credits.push({ left: amount, ends });
  account.available += amount;
}

/** Credit whose time is over is gone. */
export function endCredits(account: Account, now: number): void {
  for (const credit of account.credits.filter(({ ends }) => ends <= now)) {
    account.available -= credit.left;
    credit.left = 0n;
  }
}

/** The document that is still open for the month of an instant. */
function draft(account: Account, type: Document['type'], at: number): Document {
  const month = monthOf(at);
  const open = account.documents.find(
    (other) => other.type === type && other.month.from === month.from && other.issuedAt === null,
  );
  if (open) return open;
  const document: Document = {
    ...{ id: null, number: null, type, month, orders: [], issuedAt: null },
    corrects: new Set(),
    buyer: null,
  };
  account.documents.push(document);
  return document;
}

/** The order that a correction gives back, or those that charged the month which a refund does. */
function salesOf(account: Account, { vm, lines, correction }: Order): Order[] {
  const charges = account.orders.filter(({ status, amount }) => status === 'completed' && amount > 0n);
  if (correction?.corrects) return charges.filter((sale) => sale === correction.corrects);
  const ends = new Set(lines.map(({ span }) => span.to));
  return charges.filter(
    (sale) => vm !== null && sale.vm === vm && sale.lines.some(({ span }) => ends.has(span.to)),
  );
}

/** What was paid and given back of a span of a VM: the lines whose service lies within it. */
export function netWithin(orders: Order[], vm: Vm, { from, to }: Span): bigint {
  const lines = orders.filter((order) => order.vm === vm).flatMap((order) => order.lines);
  const within = lines.filter(({ span }) => span.from >= from && span.to <= to && span.from < span.to);
  return sum(within.map(({ amount }) => amount));
}

export const completed = ({ orders }: Account) => orders.filter(({ status }) => status === 'completed');

/** Charges less refunds of a calendar month. */
export function netOf(account: Account, { from, to }: Span): bigint {
  const settled = completed(account).filter(({ settledAt }) => settledAt! >= from && settledAt! < to);
  return sum(settled.map(({ amount }) => amount));
}
