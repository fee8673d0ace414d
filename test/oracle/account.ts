import type { HeldAddOn } from './add-ons.ts';
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
  /** Set for a month, or the rest of one, that is billed hourly. */
  price_hourly: string | null;
  amount: bigint;
  taxed: Taxed;
  tax: bigint;
  span: Span;
  proration: boolean;
  /** The code of the line's add-on; null for any other line. */
  addOn: string | null;
}

/** The operator's reason for correcting the books. */
export interface Correction {
  type: 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';
  reason: string;
  corrects: Order | null;
  outage: Outage | null;
}

export interface Order {
  /** Null until a reply contains it. */
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
  /** The part that the wallet did not cover and the customer still owes. */
  owed: bigint;
  /** The buyer as known when the order was placed. */
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
  /** The buyer as known when the document was issued; null if none was known. */
  buyer: Buyer | null;
}

/** Promotional credit: spent before money. */
export interface Credit {
  left: bigint;
  ends: number;
}

/** Promotional credit that a line of an order took; negative if the line returned it. */
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

/** A disputed payment. The part that cannot be charged back is a debt. */
export interface Dispute {
  id: string;
  topUp: TopUp;
  amount: bigint;
  taken: bigint;
  /** Number of movements of money so far. */
  moves: number;
  isWon: boolean;
}

/** A payment that can be disputed. */
export interface TopUp {
  id: string;
  amount: bigint;
}

/** A span during which a region, or a single VM, was down. */
export interface Outage extends Span {
  id: string;
  vm: Vm | null;
  region: string | null;
  reason: string;
  credited: boolean;
}

/** An operation in progress on a VM. */
export type Work =
  | { kind: 'create'; order: Order }
  | {
      kind: 'change';
      order: Order;
      to: Product;
      taxed: Taxed;
      leftover: Rational;
      /** When the counting of hours begins; null if billed monthly. */
      since: number | null;
      deposit: bigint | null;
      orderedAt: number;
    }
  | { kind: 'suspend' }
  | { kind: 'delete' }
  | { kind: 'start' }
  | { kind: 'take_snapshot'; id: string; orderedAt: number }
  | { kind: 'delete_snapshot'; snapshot: Snapshot };

/** The prices of a VM's usage from an instant on, in major units; null means free. */
export interface Terms {
  from: number;
  /** The meter's reading at that instant. */
  read: bigint;
  /** GB per month; null means unmetered, or free without a limit. */
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

/** A VM's traffic and snapshots. */
export interface Meter {
  /** Bytes by UTC day, such as "2027-01-31". */
  days: Map<string, bigint>;
  /** Terms since the last charge. */
  terms: Terms[];
  /** The end of an unpaid month, and the reading at that instant. */
  unpaid?: { at: number; read: bigint };
  snapshots: Snapshot[];
}

export interface Vm {
  id: string;
  product: Product;
  region: string;
  /** Created and paid for. */
  exists: boolean;
  gone: boolean;
  goneAt: number | null;
  deleting: boolean;
  work: Work | null;
  autoRenew: boolean;
  priority: number;
  /** The billing mode of the coming months. */
  nextMode: 'monthly' | 'hourly';
  /** Day of the month on which the VM's months begin. */
  day: number;
  paid: Span;
  /**
   * Since when the hours of the running month are counted; null if billed monthly. The hourly price is the product's.
   */
  hoursSince: number | null;
  /**
   * The deposit held since then; usage is sold out of it only afterwards. Null if billed monthly, and after the month
   * was settled.
   */
  deposit: bigint | null;
  /** The tax of the latest sale. */
  taxed: Taxed;
  /** The running month's exact worth to the second, less the amount charged for it. */
  leftover: Rational;
  /** The most that can still be refunded for the month, once a correction refunded part of it. */
  refundable: bigint | null;
  unpaidSince: number | null;
  suspendedAt: number | null;
  /** When the grace period ended, if the VM was not going to renew or was suspended. */
  graceEnded: number | null;
  resumes: boolean;
  running: boolean;
  upgradedAt: number | null;
  deletionNoticeAt: number | null;
  /** When its current configuration was sold. */
  soldAt: number;
  /** The latest higher price that its owner was notified of. */
  told: { price: bigint; at: number; from: number } | null;
  /** The announced end of the VM, at the retirement of its plan. */
  retiresAt: number | null;
  /** The cause of its throttle, as the service last saw it, and the remaining speed in Mbit/s. */
  throttle: { mbps: bigint; cause: string } | null;
  meter: Meter;
  addOns: HeldAddOn[];
}

/** Everything known about a customer, from their own actions and the passing of time. Amounts are in minor units. */
export interface Account {
  /** The buyer on its invoices; null if nothing is known. */
  buyer: Buyer | null;
  /** Spendable: money and credit. */
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

/** VMs that cost money. */
export const billed = ({ vms }: Account) => vms.filter((vm) => vm.exists && !vm.gone && !vm.deleting);

/** The hourly price of the running month; null if it is billed monthly. */
export const hourOf = ({ product, hoursSince }: Vm) => (hoursSince === null ? null : product.hour);

/** True for lines that only hold or release a deposit. */
export const isDeposit = ({ unit }: Line) => unit === 'deposit';

/** The part of an order that moves deposits. */
export const depositOf = ({ lines }: Pick<Order, 'lines'>) =>
  sum(lines.filter(isDeposit).map(({ amount }) => amount));

/** The part of an order that is sold, or refunded from earlier sales. */
export const soldOf = (order: Pick<Order, 'lines' | 'amount'>) => order.amount - depositOf(order);
