import {
  type Account,
  type Correction,
  type Credit,
  type Dispute,
  type Document,
  type Draw,
  depositOf,
  isDeposit,
  type Line,
  type Order,
  soldOf,
  sum,
  type Vm,
} from './account.ts';
import { monthOf, type Span } from './calendar.ts';
import { type Charge, proportional } from './lines.ts';
import { monthAround } from './months.ts';
import { Rational } from './rational.ts';

/** Movements of an account's money at an instant. */

export function pay(
  account: Account,
  payment: { method: string; reference: string; amount: bigint },
  at: number,
) {
  account.payments.push({ ...payment, at });
  account.available += payment.amount;
  payDebts(account, at);
}

/** The spendable balance without credit. */
export const moneyOf = ({ available, credits }: Account) => available - sum(credits.map(({ left }) => left));

/** The debt of an account: payments that were charged back, and deleted VMs. */
export const debtOf = ({ disputes, orders }: Account) =>
  sum(disputes.filter(({ isWon }) => !isWon).map(({ amount, taken }) => amount - taken)) +
  sum(orders.map(({ owed }) => owed));

/** Pays debts from the available money: the oldest dispute first, then the oldest deletion. */
export function payDebts(account: Account, at: number): void {
  for (const dispute of account.disputes.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const money = moneyOf(account);
    const owed = dispute.isWon ? 0n : dispute.amount - dispute.taken;
    moveDispute(account, dispute, money < owed ? money : owed, at);
  }
  for (const order of account.orders) {
    const money = moneyOf(account);
    const paid = money < order.owed ? money : order.owed;
    account.available -= paid;
    order.owed -= paid;
  }
}

/** A provider disputes an amount, changes the disputed amount, or withdraws the dispute. */
export function dispute(
  account: Account,
  one: Dispute,
  told: { amount: bigint; isWon: boolean },
  at: number,
): void {
  Object.assign(one, told.isWon ? { isWon: true } : { amount: told.amount, isWon: false });
  const target = told.isWon ? 0n : told.amount;
  const wanted = target - one.taken;
  const money = moneyOf(account);
  moveDispute(account, one, wanted < money ? wanted : money, at);
  // Money that comes back pays the other debts.
  if (wanted < 0n) payDebts(account, at);
}

function moveDispute(account: Account, one: Dispute, more: bigint, at: number): void {
  if (more === 0n) return;
  one.moves++;
  one.taken += more;
  account.available -= more;
  const reference = one.moves === 1 ? one.id : `${one.id} ${one.moves}`;
  account.payments.push({ method: 'test', reference, amount: -more, at });
}

/** Returns the top-up needed before `total` can be spent on something new: debts are paid first. */
export function lackingFor(account: Account, total: bigint): bigint {
  if (total <= 0n) return 0n;
  return unpaidDebt(account) + mostOf(total - spendableOf(account), 0n);
}

export const unpaidDebt = (account: Account) => mostOf(debtOf(account) - moneyOf(account), 0n);

/** Credit, and the money left after all debts. */
export const spendableOf = (account: Account) =>
  account.available - moneyOf(account) + mostOf(moneyOf(account) - debtOf(account), 0n);

const mostOf = (a: bigint, b: bigint) => (a > b ? a : b);

interface Request {
  kind: string;
  vm: Vm | null;
  charge: Charge;
  id: string | null;
  correction?: Correction;
  /** The most promotional credit that the order spends or returns. */
  promoMost?: bigint;
}

export function place(account: Account, request: Request, at: number): Order {
  const { kind, vm, charge, id, correction = null, promoMost } = request;
  const { lines, total: amount } = charge;
  const order: Order = {
    ...{ id, kind, status: 'pending', vm, lines, amount, createdAt: at, settledAt: null },
    ...{ balanceAfter: null, document: null, draws: [], correction, owed: 0n },
    buyer: account.buyer,
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
    if (promoMost !== 0n) giveBack(account, order);
    account.available -= order.amount;
  }
  account.held += depositOf(order);
  order.status = 'completed';
  order.settledAt = at;
  order.balanceAfter = account.available;
  const sold = soldOf(order);
  // Hours and the refund of an add-on may cancel each other out.
  const isSale = order.lines.some((line) => !isDeposit(line) && line.amount !== 0n);
  if (sold === 0n && order.lines.some(isDeposit) && !isSale) return;
  const document = draft(account, sold < 0n ? 'credit_note' : 'invoice', at);
  document.orders.push(order);
  order.document = document;
  if (document.type === 'credit_note')
    for (const sale of salesOf(account, order)) document.corrects.add(sale.document!);
}

/** Places an order and settles it at once. */
export function settle(account: Account, request: Request, at: number): Order {
  const order = place(account, request, at);
  complete(account, order, at, request.promoMost);
  return order;
}

/** Settles the order of a deletion, if there is one: the part that the wallet does not cover becomes debt. */
export function settleDeletion(
  account: Account,
  vm: Vm,
  charge: Charge,
  id: string | null,
  at: number,
): Order | null {
  vm.deposit = null;
  vm.addOns = [];
  if (charge.lines.length === 0) return null;
  // Money that the account owes cannot pay for anything else.
  if (charge.total > 0n) payDebts(account, at);
  const owed = uncovered(account, charge);
  account.available += owed;
  const order = settle(account, { kind: 'delete_refund', vm, charge, id }, at);
  order.owed = owed;
  return order;
}

/** Returns the part of a charge that an account cannot pay. */
export function uncovered(account: Account, { total }: Charge): bigint {
  return mostOf(total - spendableOf(account), 0n);
}

export function fail(account: Account, order: Order, at: number): void {
  if (order.amount > 0n) {
    account.available += order.amount;
    account.held -= order.amount;
  }
  for (const { credit, amount } of order.draws) credit.left += amount;
  order.draws = [];
  order.status = 'failed';
  order.settledAt = at;
}

/** Credit pays before money, the credit that expires first before the rest; each charging line gets its share. */
function draw({ credits }: Account, order: Order, most: bigint): void {
  const total = most < order.amount ? most : order.amount;
  const taken = takeFrom(
    credits.toSorted((a, b) => a.ends - b.ends).map((credit) => ({ credit, most: credit.left })),
    total,
  );
  const charging = order.lines.filter(({ amount }) => amount > 0n);
  const drawn = sum(taken.map(({ amount }) => amount));
  const shares = proportional(
    charging.map(({ amount }) => amount),
    drawn,
  ).map((share, index) => ({ line: charging[index]!, open: share }));
  for (const { credit, amount } of taken) {
    credit.left -= amount;
    let rest = amount;
    for (const share of shares) {
      const paid = rest < share.open ? rest : share.open;
      if (paid > 0n) order.draws.push({ credit, line: share.line, amount: paid });
      share.open -= paid;
      rest -= paid;
    }
  }
}

/** Takes an amount from the credits in order, as far as they cover it. */
function takeFrom(credits: { credit: Credit; most: bigint }[], amount: bigint) {
  let rest = amount;
  return credits.flatMap(({ credit, most }) => {
    const taken = rest < most ? rest : most;
    rest -= taken > 0n ? taken : 0n;
    return taken > 0n ? [{ credit, amount: taken }] : [];
  });
}

/**
 * Lines that refund one item of a VM for the month that contains them. Without a month, they refund charges for exactly
 * their span.
 */
interface Part {
  vm: Vm;
  addOn: string | null;
  month: Span | null;
  lines: Line[];
}

function partsOf(account: Account, vm: Vm, lines: Line[]): Part[] {
  const placed = lines.map((line) => ({ line, month: monthAround(account, vm, line.span) }));
  const parts = Map.groupBy(placed, ({ line: { span, addOn }, month }) =>
    [month !== null, (month ?? span).from, (month ?? span).to, addOn].join(),
  );
  return [...parts.values()].map((part) => ({
    vm,
    addOn: part[0]!.line.addOn,
    month: part[0]!.month,
    lines: part.map(({ line }) => line),
  }));
}

/** Returns whether a line belongs to the part: to its month or, if it has none, to the same span. */
function isOf({ month, addOn, lines: [first] }: Part, { span, addOn: of }: Line): boolean {
  if (of !== addOn) return false;
  if (month) return span.from >= month.from && span.to <= month.to && span.from < span.to;
  return span.from === first!.span.from && span.to === first!.span.to;
}

/**
 * The promotional credit within a refund: the share of the month that credit paid, rounded up to whole units, and at most
 * the whole refund.
 */
export function creditsBack(account: Account, vm: Vm | null, lines: Line[]): Draw[] {
  if (vm === null) return [];
  const bought = account.orders.filter((order) => order.vm === vm && order.status === 'completed');
  const draws = partsOf(account, vm, lines).flatMap((part) => {
    const given = -sum(part.lines.map(({ amount }) => amount));
    if (given <= 0n) return [];
    const paid = sum(
      bought.flatMap((order) => order.lines.filter((line) => isOf(part, line)).map(({ amount }) => amount)),
    );
    const own = bought.flatMap((order) => order.draws.filter(({ line }) => isOf(part, line)));
    const drawn = account.credits
      .toSorted((a, b) => b.ends - a.ends)
      .map((credit) => {
        const of = own.filter((one) => one.credit === credit);
        return { credit, most: sum(of.map(({ amount }) => amount)) };
      })
      .filter(({ most }) => most > 0n);
    const all = sum(drawn.map(({ most }) => most));
    const share = given >= paid ? all : new Rational(given * all, paid).ceil();
    const back = takeFrom(drawn, share < given ? share : given);
    return back.map(({ credit, amount }) => ({ credit, line: part.lines[0]!, amount: -amount }));
  });
  let left = -sum(lines.map(({ amount }) => amount));
  return draws.flatMap((one) => {
    const amount = -one.amount < left ? -one.amount : left;
    left -= mostOf(amount, 0n);
    return amount > 0n ? [{ ...one, amount: -amount }] : [];
  });
}

function giveBack(account: Account, order: Order): void {
  if (order.amount >= 0n) return;
  order.draws = creditsBack(account, order.vm, order.lines);
  for (const { credit, amount } of order.draws) credit.left -= amount;
}

export function grant(account: Account, amount: bigint, ends: number): void {
  account.credits.push({ left: amount, ends });
  account.available += amount;
}

export function endCredits(account: Account, now: number): void {
  for (const credit of account.credits.filter(({ ends }) => ends <= now)) {
    account.available -= credit.left;
    credit.left = 0n;
  }
}

/** Returns the draft for the month of an instant, or begins one. */
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

/** Returns the order that a correction refunds, or the orders that charged the month that a refund belongs to. */
function salesOf(account: Account, { vm, lines, correction }: Order): Order[] {
  const charges = account.orders.filter(
    (order) => order.status === 'completed' && soldOf(order) > 0n && order.document !== null,
  );
  if (correction?.corrects) return charges.filter((sale) => sale === correction.corrects);
  const itemOf = ({ span, addOn }: Line) => `${span.to} ${addOn}`;
  const given = new Set(lines.filter((line) => !isDeposit(line)).map(itemOf));
  return charges.filter(
    (sale) =>
      vm !== null && sale.vm === vm && sale.lines.some((line) => !isDeposit(line) && given.has(itemOf(line))),
  );
}

/** Returns payments minus refunds for a span of a VM or of its add-on: the lines whose service lies within the span. */
export function netWithin(orders: Order[], vm: Vm, { from, to }: Span, addOn: string | null = null): bigint {
  const lines = orders.filter((order) => order.vm === vm).flatMap((order) => order.lines);
  const within = lines.filter(
    ({ span, ...line }) => line.addOn === addOn && span.from >= from && span.to <= to && span.from < span.to,
  );
  return sum(within.map(({ amount }) => amount));
}

export const completed = ({ orders }: Account) => orders.filter(({ status }) => status === 'completed');

/** Charges less refunds of a calendar month, without deposits. */
export function netOf(account: Account, { from, to }: Span): bigint {
  const settled = completed(account).filter(({ settledAt }) => settledAt! >= from && settledAt! < to);
  return sum(settled.map(soldOf));
}
