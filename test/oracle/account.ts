import type { Span } from './calendar.ts';
import type { Rational } from './rational.ts';
import type { Product } from './tariff.ts';
import type { Buyer, Taxed } from './tax.ts';

/** A line of an order, as an invoice shows it. */
export interface Line {
  description: string;
  quantity: bigint;
  unit: string;
  unit_price: string;
  /** Of a month, or the rest of one, that is billed by the hour. */
  price_hourly: string | null;
  amount: bigint;
  taxed: Taxed;
  tax: bigint;
  span: Span;
  proration: boolean;
}

/** Why the operator corrected the books. */
export interface Correction {
  type: 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';
  reason: string;
  corrects: Order | null;
  outage: Outage | null;
}

export interface Order {
  /** Null until a reply has told. */
  id: string | null;
  kind: string;
  status: 'pending' | 'completed' | 'failed';
  vm: Vm | null;
  lines: Line[];
  amount: bigint;
  createdAt: number;
  settledAt: number | null;
  balanceAfter: bigint | null;
  draws: Draw[];
  document: Document | null;
  correction: Correction | null;
  /** What the wallet did not cover of it and is still owed. */
  owed: bigint;
  /** Who bought, as known when it was placed. */
  buyer: Buyer | null;
}

/** An invoice or a credit note. */
export interface Document {
  id: string | null;
  number: string | null;
  type: 'invoice' | 'credit_note';
  month: Span;
  orders: Order[];
  issuedAt: number | null;
  corrects: Set<Document>;
  /** Who bought, as known when it was issued; null where nobody was. */
  buyer: Buyer | null;
}

/** Promotional credit: spent before money. */
export interface Credit {
  left: bigint;
  ends: number;
}

/** What a line of an order took of promotional credit; negative where it gave back. */
export interface Draw {
  credit: Credit;
  line: Line;
  amount: bigint;
}

export interface Payment {
  method: string;
  reference: string;
  amount: bigint;
  at: number;
}

/** A payment that its provider takes back: what is not taken of it is a debt. */
export interface Dispute {
  id: string;
  topUp: TopUp;
  amount: bigint;
  taken: bigint;
  /** How many payments it has had. */
  moves: number;
  isWon: boolean;
}

/** A payment that can be taken back. */
export interface TopUp {
  id: string;
  amount: bigint;
}

/** A time without a region, or without one VM. */
export interface Outage extends Span {
  id: string;
  vm: Vm | null;
  region: string | null;
  reason: string;
  credited: boolean;
}

/** What is being done to a VM. */
export type Work =
  | { kind: 'create'; order: Order }
  | {
      kind: 'change';
      order: Order;
      to: Product;
      taxed: Taxed;
      leftover: Rational;
      /** From when on hours are counted; null by the month. */
      since: number | null;
      deposit: bigint | null;
      orderedAt: number;
    }
  | { kind: 'suspend' }
  | { kind: 'delete' }
  | { kind: 'start' }
  | { kind: 'take_snapshot'; id: string; orderedAt: number }
  | { kind: 'delete_snapshot'; snapshot: Snapshot };

/** What a VM's use is charged by from an instant on; prices in major units, null is free. */
export interface Terms {
  from: number;
  /** What its meter read then. */
  read: bigint;
  /** GB a month; null is unmetered, or free without an end. */
  included: bigint | null;
  traffic: Rational | null;
  snapshots: Rational | null;
}

export interface Snapshot {
  id: string;
  bytes: bigint;
  from: number;
  until: number | null;
}

/** What a VM has sent and stored. */
export interface Meter {
  /** Bytes by UTC day, such as "2027-01-31". */
  days: Map<string, bigint>;
  /** Since it was charged last. */
  terms: Terms[];
  /** The end of a month that was not paid, and what was read then. */
  unpaid?: { at: number; read: bigint };
  snapshots: Snapshot[];
}

export interface Vm {
  id: string;
  product: Product;
  region: string;
  /** It has come into being, and has been paid for. */
  exists: boolean;
  gone: boolean;
  goneAt: number | null;
  deleting: boolean;
  work: Work | null;
  autoRenew: boolean;
  priority: number;
  /** How the months to come are billed. */
  nextMode: 'monthly' | 'hourly';
  /** Day of the month on which its months begin. */
  day: number;
  paid: Span;
  /** Since when the hours of the running month are counted; null by the month. Their price is the product's. */
  hoursSince: number | null;
  /** What is held for it since then: nothing of it is sold before it was used. Null by the month, and once the month was settled. */
  deposit: bigint | null;
  /** As its latest sale was. */
  taxed: Taxed;
  /** What the running month is worth to the second, less what was charged for it. */
  leftover: Rational;
  /** The most that may be given back of it, once some of it was by a correction. */
  refundable: bigint | null;
  unpaidSince: number | null;
  suspendedAt: number | null;
  /** When its grace ended, where it was not to be renewed any more or was switched off. */
  graceEnded: number | null;
  resumes: boolean;
  running: boolean;
  upgradedAt: number | null;
  deletionNoticeAt: number | null;
  /** When what it has was sold. */
  soldAt: number;
  /** The higher price that its owner was told of last. */
  told: { price: bigint; at: number; from: number } | null;
  /** When it ends with its plan, as its owner was told. */
  retiresAt: number | null;
  /** Why it is slow since the service looked last, and how fast it is then, in Mbit/s. */
  throttle: { mbps: bigint; cause: string } | null;
  meter: Meter;
}

/** All that is known of a customer, from what he did and what time did. Amounts are minor units. */
export interface Account {
  /** Whom its invoices are for; null where nothing is known. */
  buyer: Buyer | null;
  /** What can be spent: money and credit. */
  available: bigint;
  held: bigint;
  credits: Credit[];
  payments: Payment[];
  topUps: TopUp[];
  disputes: Dispute[];
  orders: Order[];
  documents: Document[];
  vms: Vm[];
}

export function newAccount(): Account {
  return {
    buyer: null,
    available: 0n,
    held: 0n,
    credits: [],
    payments: [],
    topUps: [],
    disputes: [],
    orders: [],
    documents: [],
    vms: [],
  };
}

export const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** VMs that are paid for. */
export const billed = ({ vms }: Account) => vms.filter((vm) => vm.exists && !vm.gone && !vm.deleting);

/** How the running month is billed: by the hour at that price, or by the month (null). */
export const hourOf = ({ product, hoursSince }: Vm) => (hoursSince === null ? null : product.hour);

/** Lines that hold a deposit or release it, and sell nothing. */
export const isDeposit = ({ unit }: Line) => unit === 'deposit';

/** What of an order moves deposits. */
export const depositOf = ({ lines }: Pick<Order, 'lines'>) =>
  sum(lines.filter(isDeposit).map(({ amount }) => amount));

/** What of it is sold, or given back of what was. */
export const soldOf = (order: Pick<Order, 'lines' | 'amount'>) => order.amount - depositOf(order);
