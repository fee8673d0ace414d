import { sql } from '../../server/db/database.ts';
import { requireOpen } from '../../server/domain/accounts/account-status.ts';
import { creditAccount, debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { IDEMPOTENT_REPLY_DAYS } from '../../server/jobs/timers/purge-expired.ts';
import { ApiError } from '../../server/platform/errors.ts';
import type { Services } from '../../server/start/services.ts';
import type { Call, Customer, Reply } from '../jobs/support/customer.ts';
import { isOutOfReach } from './hosts.ts';

/** Performs an operator's action and returns its outcome: "ok" or the code of the refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.code;
    throw error;
  }
}

/** An order as a reply described it. */
export interface NotedOrder {
  id: string;
  amountMinor: number;
}

type Parts = Pick<Services, 'db' | 'clock'>;

/** Returns the outcome of a call; throws if the service failed. */
export function outcome({ status, text, error }: Reply): string {
  // A refusal is a valid outcome, even when a host is unreachable; the simulation looks for failures of the service.
  if (status >= 500 && !isOutOfReach(error?.code)) throw new Error(`answered ${status}: ${text}`);
  return error?.code ?? 'ok';
}

export const orderIn = ({ order }: Reply['data']): NotedOrder => ({
  id: order.id,
  amountMinor: order.amount_minor,
});
/** The order of a deletion's refund. */
export const refundIn = ({ refund }: Reply['data']): NotedOrder | null =>
  refund.order_id
    ? {
        id: refund.order_id,
        amountMinor: refund.charged_minor + refund.debt_minor - refund.amount_minor,
      }
    : null;

/** Finds the order in the data of a reply; null if no money moved. */
type OrderIn = (data: Reply['data']) => NotedOrder | null;

interface Sent {
  call: Call;
  key: string;
  orderIn: OrderIn;
  text: string;
  at: number;
}

export const CREATE_PATH = '/v1/vm';
/** Number of calls kept to be repeated. */
const REMEMBERED = 20;
const KEPT_MS = IDEMPOTENT_REPLY_DAYS * 86_400_000;
/** The service's clocks need not agree on when that time is over. */
const UNSURE_MS = 10 * 60_000;

/** A customer of the simulation, with a notebook of the service's replies. */
export class Tenant {
  readonly customer: Customer;
  /** VMs that the customer bought and has not found to be gone. */
  vmIds: string[] = [];
  /** Amounts of the orders in replies, by order id. */
  readonly orders = new Map<string, number>();
  /** Money paid in, less money paid out. */
  creditedMinor = 0n;
  /** The customer is about to close the account and buys nothing more. */
  isLeaving = false;
  readonly #services: Parts;
  #sent: Sent[] = [];

  constructor(customer: Customer, services: Parts) {
    this.customer = customer;
    this.#services = services;
  }

  /** Restores from the books a customer whose notebook was lost. */
  static async remembered(customer: Customer, services: Parts): Promise<Tenant> {
    const { db } = services;
    const tenant = new Tenant(customer, services);
    const { accountId } = customer;
    const orders = await db.query<{ id: string; amount_minor: bigint }>(sql`
      select id, amount_minor from orders where account_id = ${accountId} and kind <> 'renew'`);
    for (const { id, amount_minor } of orders) tenant.orders.set(id, Number(amount_minor));
    const [paid] = await db.query<{ paid: bigint }>(sql`
      select coalesce(sum(amount_minor), 0)::bigint as paid from payments where account_id = ${accountId}`);
    tenant.creditedMinor = paid!.paid;
    const vms = await db.query<{ id: string }>(
      sql`select id from vms where account_id = ${accountId} and deleted_at is null`,
    );
    tenant.vmIds = vms.map(({ id }) => id);
    return tenant;
  }

  async topUp(amountMinor: bigint, reference: string): Promise<void> {
    await this.#pay(creditAccount, { amountMinor, reference });
    this.creditedMinor += amountMinor;
  }

  async payOut(amountMinor: bigint): Promise<void> {
    await this.#pay(debitAccount, { amountMinor });
    this.creditedMinor -= amountMinor;
  }

  /** Books a payment like the operator: not for a closed account. */
  #pay(book: typeof creditAccount, payment: { amountMinor: bigint; reference?: string }): Promise<void> {
    const { db, clock } = this.#services;
    const { accountId } = this.customer;
    return db.transaction(async (tx) => {
      await requireOpen(tx, accountId);
      await book(tx, clock, { accountId, method: 'test', ...payment });
    });
  }

  get hasSent(): boolean {
    return this.#sent.length > 0;
  }

  forget(vmId: string): void {
    this.vmIds = this.vmIds.filter((id) => id !== vmId);
  }

  /** Sends a call that costs or refunds money, and notes the resulting order. */
  async order(call: Call, key: string, orderIn: OrderIn): Promise<Reply> {
    const at = this.#services.clock.now().getTime();
    const reply = await this.customer.call(call, key);
    if (reply.status !== 200 || reply.replayed) return reply;
    this.note(call, reply, orderIn);
    const others = this.#sent.filter((sent) => sent.key !== key);
    this.#sent = [...others.slice(1 - REMEMBERED), { call, key, orderIn, text: reply.text, at }];
    return reply;
  }

  /** Notes the order that resulted from the first execution of a call. */
  note({ path }: Call, { data }: Pick<Reply, 'data'>, orderIn: OrderIn): void {
    const order = orderIn(data);
    if (order) this.orders.set(order.id, order.amountMinor);
    if (path === CREATE_PATH) this.vmIds.push(data.vm.id);
  }

  /** Repeats the `which`-th remembered call with its key; undefined if none is remembered. */
  async repeat(which: number): Promise<Reply | undefined> {
    const sent = this.#sent[which % (this.#sent.length || 1)];
    if (!sent) return undefined;
    const reply = await this.order(sent.call, sent.key, sent.orderIn);
    const forgotten = this.#services.clock.now().getTime() - sent.at >= KEPT_MS - UNSURE_MS;
    const repeatedByAnother = reply.error?.code === 'idempotency_in_progress';
    if (forgotten || repeatedByAnother || (reply.replayed && reply.text === sent.text)) return reply;
    // Another operation has closed the account at the same time, and its keys are revoked.
    if (reply.error?.code === 'api_key_invalid' && (await this.#isClosed())) return reply;
    throw new Error(`${sent.call.path} answered another time\n${reply.text}\nand not\n${sent.text}`);
  }

  async #isClosed(): Promise<boolean> {
    const { accountId } = this.customer;
    const rows = await this.#services.db.query(
      sql`select 1 from accounts where id = ${accountId} and status = 'closed'`,
    );
    return rows.length > 0;
  }
}
