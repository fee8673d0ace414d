import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { sql } from '../../server/db/database.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { Readiness } from '../../server/http/operator/readiness.ts';
import { createOperatorServer } from '../../server/http/operator/server.ts';
import type { Installation } from '../jobs/support/installation.ts';
import type { Operation } from './operations.ts';
import type { Prng } from './prng.ts';
import type { Tenant } from './tenant.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The longest outage: longer than any paid month. */
const LONGEST_OUTAGE_MS = 40 * DAY_MS;
/** A correction picks one of this many latest orders of an account. */
const CHOICE = 50;
/** Number of commands kept to be repeated. */
const REMEMBERED = 20;

/** The SLA credits in every world; the shipped catalog has none. */
export const SLA = {
  credits: [
    { uptime_below: '99.9', percent: 10 },
    { uptime_below: '99', percent: 25 },
    { uptime_below: '50', percent: 100 },
  ],
  lost_hosts: true,
};

/** A reply of the operator's API; `code` if it refused. */
interface Answer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: operations answer with data of every shape
  data: any;
  code: string | undefined;
}

interface Command {
  path: string;
  body: { key: string; reason: string };
}

/** The operator: gives commands to either node, sometimes twice, and remembers the replies. */
export class Operator {
  readonly #doors: FastifyInstance[];
  #given: (Command & { data: unknown })[] = [];

  /** The catalogs of the installations must not be replaced later. */
  constructor(installations: Installation[]) {
    this.#doors = installations.map(({ services }) =>
      createOperatorServer(services, new Readiness(services), OPERATOR_ENDPOINTS),
    );
  }

  async close(): Promise<void> {
    for (const door of this.#doors) await door.close();
  }

  /** Asks one of the nodes; throws if the service fails. */
  async ask(prng: Prng, path: string, body?: object): Promise<Answer> {
    const call = { method: 'POST', url: path, ...(body && { payload: body }) } as const;
    const { statusCode: status, body: text } = await prng.pick(this.#doors)!.inject(call);
    if (status >= 500) throw new Error(`${path} answered ${status}: ${text}`);
    const { data, error } = JSON.parse(text);
    return { status, text, data, code: error?.code };
  }

  /** Gives a command under its key, sometimes twice at once: then one has to wait, or both get the same reply. */
  async command(prng: Prng, command: Command): Promise<Answer> {
    const { path, body } = command;
    const times = prng.chance(0.1) ? 2 : 1;
    const answers = await Promise.all(Array.from({ length: times }, () => this.ask(prng, path, body)));
    const [answer, twin] = answers.sort((a, b) => a.status - b.status) as [Answer, Answer?];
    if (answer.code) return answer;
    if (twin && !twin.code) requireSame(path, twin, answer.data);
    this.#given = [...this.#given.slice(1 - REMEMBERED), { ...command, data: answer.data }];
    return answer;
  }

  /** Repeats a remembered command. Its key never expires, so the command has no effect and gets the same reply. */
  async again(prng: Prng): Promise<string> {
    const given = prng.pick(this.#given);
    if (!given) return 'nothing_given';
    const answer = await this.ask(prng, given.path, given.body);
    // Another request with the key is in progress.
    if (answer.code === 'idempotency_in_progress') return answer.code;
    requireSame(given.path, answer, given.data);
    return 'ok';
  }
}

function requireSame(path: string, { text, data }: Answer, before: unknown): void {
  if (!isDeepStrictEqual(data, before))
    throw new Error(`${path} answered another time\n${text}\nand not\n${JSON.stringify(before)}`);
}

/** Corrects a tenant's books; the tenant sees the resulting order. */
async function correct(world: World, prng: Prng, tenant: Tenant, command: Command): Promise<string> {
  const { code, data } = await world.operator.command(prng, command);
  if (code) return code;
  tenant.orders.set(data.id, data.amount_minor);
  return 'ok';
}

const commandOf = (path: string, key: string, body: object = {}): Command => ({
  path,
  body: { ...body, key, reason: 'simulation' },
});

interface SomeOrder {
  id: string;
  /** A VM that may have been deleted. */
  vm_id: string | null;
  has_moved: boolean;
}

/** Returns one of the latest orders of a tenant, mostly one that moved money. */
async function someOrder(
  { services: { db } }: World,
  prng: Prng,
  { customer }: Tenant,
): Promise<SomeOrder | undefined> {
  const orders = await db.query<SomeOrder>(sql`
    select id, vm_id, status = 'completed' and amount_minor <> 0 as has_moved from orders
    where account_id = ${customer.accountId} order by id desc limit ${CHOICE}`);
  const moved = orders.filter(({ has_moved }) => has_moved);
  return prng.pick(prng.chance(0.9) && moved.length > 0 ? moved : orders);
}

/** Credits or debits money independent of any sale, sometimes for a VM. */
const free =
  (type: 'credit' | 'debit'): Operation =>
  async (world, prng, key) => {
    const tenant = world.tenant(prng);
    const order = await someOrder(world, prng, tenant);
    const vm_id = prng.chance(0.5) && order?.vm_id ? { vm_id: order.vm_id } : {};
    const body = { type, amount_minor: prng.between(1, 800), ...vm_id };
    const path = `/accounts/${tenant.customer.accountId}/adjustments`;
    return correct(world, prng, tenant, commandOf(path, key, body));
  };

/** Corrects any order, whatever its state, including corrections. */
const ofOrder =
  (verb: 'refund' | 'void'): Operation =>
  async (world, prng, key) => {
    const tenant = world.tenant(prng);
    const order = await someOrder(world, prng, tenant);
    if (!order) return 'no_order';
    const part = verb === 'refund' && prng.chance(0.6) ? { amount_minor: prng.between(1, 400) } : {};
    return correct(world, prng, tenant, commandOf(`/orders/${order.id}/${verb}`, key, part));
  };

/** Reports an outage of any length that ended just now or some time ago: mostly of one VM, rarely of a whole region. */
const reportOutage: Operation = async (world, prng, key) => {
  const order = await someOrder(world, prng, world.tenant(prng));
  const to = world.services.clock.now().getTime() - Math.floor(10 * DAY_MS * prng.fraction() ** 4);
  const from = to - Math.floor(MINUTE_MS * (LONGEST_OUTAGE_MS / MINUTE_MS) ** prng.fraction());
  const where = order?.vm_id && prng.chance(0.95) ? { vm_id: order.vm_id } : { region: 'eu-west' };
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { code } = await world.operator.command(prng, commandOf('/outages', key, { ...where, ...span }));
  return code ?? 'ok';
};

/** Credits a part of an outage, as much as one request does; sometimes two requests at once. */
const creditOutage: Operation = async (world, prng) => {
  const { services, operator } = world;
  const outage = prng.pick(
    await services.db.query<{ id: string }>(
      sql`select id from outages where status <> 'credited' order by id`,
    ),
  );
  if (!outage) return 'no_outage';
  const times = prng.chance(0.3) ? 2 : 1;
  await Promise.all(Array.from({ length: times }, () => operator.ask(prng, `/outages/${outage.id}/credit`)));
  return 'ok';
};

export async function creditWholly({ operator }: World, prng: Prng, outageId: string): Promise<void> {
  for (;;) {
    const { data, text } = await operator.ask(prng, `/outages/${outageId}/credit`);
    if (!data) throw new Error(`${outageId} is not credited: ${text}`);
    if (data.status === 'credited') return;
  }
}

/** The operator's actions on the books and their weights. */
export const CORRECTIONS = {
  credit: { weight: 0.6, run: free('credit') },
  debit: { weight: 1, run: free('debit') },
  refund: { weight: 2.5, run: ofOrder('refund') },
  void: { weight: 1.5, run: ofOrder('void') },
  reportOutage: { weight: 0.6, run: reportOutage },
  creditOutage: { weight: 0.3, run: creditOutage },
  commandAgain: { weight: 0.5, run: (world: World, prng: Prng) => world.operator.again(prng) },
} satisfies Record<string, { weight: number; run: Operation }>;
