import { sql } from '../../server/db/database.ts';
import { requireOpen } from '../../server/domain/accounts/account-status.ts';
import { creditAccount, debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { IDEMPOTENT_REPLY_DAYS } from '../../server/jobs/timers/purge-expired.ts';
import { ApiError } from '../../server/platform/errors.ts';
import type { Services } from '../../server/services.ts';
import type { Call, Customer, Reply } from '../jobs/support/customer.ts';
import { isOutOfReach } from './hosts.ts';

/** Does what an operator would; a refusal is an answer. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.code;
    throw error;
  }
}

/** What a reply said of an order. */
export interface NotedOrder {
  id: string;
  amountMinor: number;
}

type Parts = Pick<Services, 'db' | 'clock'>;

/** How a call went; throws where the service failed. */
export function outcome({ status, text, error }: Reply): string {
  // A refusal is an answer, also that of a host that is out of reach; a failure of the service is what the simulation looks for.
  if (status >= 500 && !isOutOfReach(error?.code)) throw new Error(`answered ${status}: ${text}`);
  return error?.code ?? 'ok';
}

/** The order of a purchase. */
export const orderIn = ({ order }: Reply['data']): NotedOrder => ({
  id: order.id,
  amountMinor: order.amount_minor,
});
/** The order by which a deletion gives back. */
export const refundIn = ({ refund }: Reply['data']): NotedOrder | null =>
  refund.order_id
    ? {
        id: refund.order_id,
        amountMinor: refund.charged_minor + refund.debt_minor - refund.amount_minor,
      }
    : null;

/** Finds the order in the data of a reply; null where no money moved. */
type OrderIn = (data: Reply['data']) => NotedOrder | null;

interface Sent {
  call: Call;
  key: string;
  orderIn: OrderIn;
  text: string;
  at: number;
}

/** Where VMs are bought. */
export const CREATE_PATH = '/v1/vm';
/** Calls kept to be sent again. */
const REMEMBERED = 20;
const KEPT_MS = IDEMPOTENT_REPLY_DAYS * 86_400_000;
/** The service's clocks need not agree when that is over. */
const UNSURE_MS = 10 * 60_000;

/** A customer of the simulation, with a notebook of what the service told him. */
export class Tenant {
  readonly customer: Customer;
  /** VMs that he bought and has not found to be gone. */
  vmIds: string[] = [];
  /** Amounts of the orders that replies told him of, by id. */
  readonly orders = new Map<string, number>();
  /** Paid in, less what was paid out. */
  creditedMinor = 0n;
  /** He is about to close his account, and buys nothing more. */
  isLeaving = false;
  readonly #services: Parts;
  #sent: Sent[] = [];

  constructor(customer: Customer, services: Parts) {
    this.customer = customer;
    this.#services = services;
  }

  /** One whose notebook was lost: he reads up on what the books say of him. */
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

  /** As the operator books it: not for a closed account. */
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

  /** Sends a call that costs or gives back money, and notes the order that came of it. */
  async order(call: Call, key: string, orderIn: OrderIn): Promise<Reply> {
    const at = this.#services.clock.now().getTime();
    const reply = await this.customer.call(call, key);
    if (reply.status !== 200 || reply.replayed) return reply;
    this.note(call, reply, orderIn);
    const others = this.#sent.filter((sent) => sent.key !== key);
    this.#sent = [...others.slice(1 - REMEMBERED), { call, key, orderIn, text: reply.text, at }];
    return reply;
  }

  /** Notes the order that came of a call, which was carried out for the first time. */
  note({ path }: Call, { data }: Pick<Reply, 'data'>, orderIn: OrderIn): void {
    const order = orderIn(data);
    if (order) this.orders.set(order.id, order.amountMinor);
    if (path === CREATE_PATH) this.vmIds.push(data.vm.id);
  }

  /** Sends the `which`-th remembered call again with its key; undefined where none is remembered. */
  async repeat(which: number): Promise<Reply | undefined> {
    const sent = this.#sent[which % (this.#sent.length || 1)];
    if (!sent) return undefined;
    const reply = await this.order(sent.call, sent.key, sent.orderIn);
    const forgotten = this.#services.clock.now().getTime() - sent.at >= KEPT_MS - UNSURE_MS;
    const repeatedByAnother = reply.error?.code === 'idempotency_in_progress';
    if (forgotten || repeatedByAnother || (reply.replayed && reply.text === sent.text)) return reply;
    // Its keys are revoked with it, by another operation that runs beside this one.
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
