import { sql } from '../../server/db/database.ts';
import { IDEMPOTENT_REPLY_DAYS } from '../../server/jobs/timers/purge-expired.ts';
import type { Clock } from '../../server/platform/clock.ts';
import type { Services } from '../../server/services.ts';
import type { Call, Customer, Reply } from '../jobs/support/customer.ts';

/** What a reply said of an order. */
export interface NotedOrder {
  id: string;
  amountMinor: number;
}

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
  readonly #clock: Clock;
  #sent: Sent[] = [];

  constructor(customer: Customer, clock: Clock) {
    this.customer = customer;
    this.#clock = clock;
  }

  /** One whose notebook was lost: he reads up on what the books say of him. */
  static async remembered(
    customer: Customer,
    { db, clock }: Pick<Services, 'db' | 'clock'>,
  ): Promise<Tenant> {
    const tenant = new Tenant(customer, clock);
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
    await this.customer.topUp(amountMinor, reference);
    this.creditedMinor += amountMinor;
  }

  async payOut(amountMinor: bigint): Promise<void> {
    await this.customer.payOut(amountMinor);
    this.creditedMinor -= amountMinor;
  }

  get hasSent(): boolean {
    return this.#sent.length > 0;
  }

  forget(vmId: string): void {
    this.vmIds = this.vmIds.filter((id) => id !== vmId);
  }

  /** Sends a call that costs or gives back money, and notes the order that came of it. */
  async order(call: Call, key: string, orderIn: OrderIn): Promise<Reply> {
    const at = this.#clock.now().getTime();
    const reply = await this.customer.call(call, key);
    if (reply.status !== 200 || reply.replayed) return reply;
    const order = orderIn(reply.data);
    if (order) this.orders.set(order.id, order.amountMinor);
    if (call.path === CREATE_PATH) this.vmIds.push(reply.data.vm.id);
    const others = this.#sent.filter((sent) => sent.key !== key);
    this.#sent = [...others.slice(1 - REMEMBERED), { call, key, orderIn, text: reply.text, at }];
    return reply;
  }

  /** Sends the `which`-th remembered call again with its key; undefined where none is remembered. */
  async repeat(which: number): Promise<Reply | undefined> {
    const sent = this.#sent[which % (this.#sent.length || 1)];
    if (!sent) return undefined;
    const reply = await this.order(sent.call, sent.key, sent.orderIn);
    const forgotten = this.#clock.now().getTime() - sent.at >= KEPT_MS - UNSURE_MS;
    const repeatedByAnother = reply.error?.code === 'idempotency_in_progress';
    if (forgotten || repeatedByAnother || (reply.replayed && reply.text === sent.text)) return reply;
    throw new Error(`${sent.call.path} answered another time\n${reply.text}\nand not\n${sent.text}`);
  }
}
