import { type Database, sql } from '../../server/db/database.ts';
import { REVERSAL_PAYMENTS } from '../../server/db/queries/money/top-up-reversals.ts';
import type { TopUpRow } from '../../server/db/queries/money/top-ups.ts';
import { collectDebts } from '../../server/jobs/timers/collect-debts.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Services } from '../../server/start/services.ts';
import type { Operation } from './operations.ts';
import type { Tenant } from './tenant.ts';
import { bookOf, deliver } from './top-ups.ts';

/** Money that Stripe took back, as Stripe last described it. */
interface TakeBack {
  id: string;
  kind: 'refund' | 'dispute';
  topUp: Pick<TopUpRow, 'id' | 'currency' | 'amount_minor'>;
  /** The latest amount. */
  amountMinor: bigint;
  /** Won or cancelled, unless it is lost after all. */
  isVoid: boolean;
  /** The time of the latest event in seconds; each event has its own second. */
  second: number;
}

type Said = Pick<TakeBack, 'amountMinor' | 'isVoid' | 'second'>;

const notebooks = new WeakMap<Tenant, Map<string, TakeBack>>();

function takeBacksOf(tenant: Tenant): Map<string, TakeBack> {
  const known = notebooks.get(tenant) ?? new Map();
  notebooks.set(tenant, known);
  return known;
}

/** Stripe's event: the money is gone, or it was returned. */
function eventOf({ id, kind, topUp }: TakeBack, { amountMinor, isVoid, second: created }: Said) {
  const common = { id, amount: Number(amountMinor), payment_intent: `pi_${topUp.id}`, metadata: {} };
  const object = { ...common, currency: topUp.currency.toLowerCase() };
  return kind === 'refund'
    ? {
        type: 'refund.updated',
        created,
        data: { object: { ...object, status: isVoid ? 'failed' : 'succeeded' } },
      }
    : {
        type: 'charge.dispute.updated',
        created,
        data: { object: { ...object, status: isVoid ? 'won' : 'needs_response' } },
      };
}

/**
 * Takes money back, changes the amount, or returns it: events arrive in any order, repeatedly and at both nodes at
 * once. The latest statement counts.
 */
const takeBack: Operation = async (world, prng, key) => {
  const paidAtStripe = (tenant: Tenant) =>
    bookOf(tenant).topUps.filter(({ id, provider }) => provider === 'stripe' && bookOf(tenant).paid.has(id));
  const tenant = world.anyone(prng, (one) => paidAtStripe(one).length > 0);
  const known = takeBacksOf(tenant);
  const topUp = prng.pick(paidAtStripe(tenant));
  if (!topUp) return 'no_top_up';
  const again = prng.chance(0.4) ? prng.pick([...known.values()]) : undefined;
  const one: TakeBack = again ?? {
    id: `tb_${key}`,
    kind: prng.pick(['refund', 'dispute'] as const)!,
    topUp,
    amountMinor: BigInt(prng.between(1, Number(topUp.amount_minor))),
    isVoid: false,
    second: 1,
  };
  known.set(one.id, one);
  const said = Array.from({ length: prng.between(1, 3) }, (_, index): Said => {
    const isChanged = prng.chance(0.3);
    const amount = isChanged ? BigInt(prng.between(1, Number(one.topUp.amount_minor))) : one.amountMinor;
    return { amountMinor: amount, isVoid: prng.chance(0.3), second: one.second + 1 + index };
  });
  // Set before any other event about it: the notebook has Stripe's latest statement.
  Object.assign(one, said.at(-1));
  const told = prng.chance(0.5) ? said : said.toReversed();
  await Promise.all(told.map((event) => deliver(world.someNode().services, eventOf(one, event))));
  return one.isVoid ? 'given_back' : 'ok';
};

/** Restores the notebooks of customers who lost them. */
export async function rememberTakeBacks(db: Database, tenant: Tenant): Promise<void> {
  const rows = await db.query<
    Booked & { kind: TakeBack['kind']; top_up_id: string; currency: string; paid: bigint; told_at: Date }
  >(sql`
    select r.*, t.currency, t.amount_minor as paid, ${TAKEN} as taken from top_up_reversals r join top_ups t on t.id = r.top_up_id
    where r.account_id = ${tenant.customer.accountId}`);
  for (const { provider_ref: id, kind, amount_minor: amountMinor, status, ...row } of rows) {
    const topUp = { id: row.top_up_id, currency: row.currency, amount_minor: row.paid };
    const second = row.told_at.getTime() / 1000;
    takeBacksOf(tenant).set(id, { id, kind, topUp, amountMinor, isVoid: status === 'void', second });
    tenant.creditedMinor += row.taken;
  }
}

interface Booked {
  account_id: string;
  provider_ref: string;
  amount_minor: bigint;
  status: 'owed' | 'taken' | 'void';
  taken: bigint;
}

const TAKEN = sql`(select coalesce(-sum(p.amount_minor), 0)::bigint from ${REVERSAL_PAYMENTS} own join payments p on p.id = own.id)`;

/** Collects every debt that the wallets cover, in a world at rest. */
export function collectAll(services: Services): Promise<void> {
  return collectDebts(services, new Failures(services));
}

/**
 * Returns chargebacks that are not booked completely and exactly once, and the amounts that left the customers' wallets
 * for them.
 */
export async function takeBackProblems(
  db: Database,
  tenants: Tenant[],
): Promise<{ problems: string[]; takenOf: Map<string, bigint> }> {
  const booked = await db.query<Booked>(
    sql`select account_id, provider_ref, amount_minor, status, ${TAKEN} as taken from top_up_reversals r`,
  );
  const problems: string[] = [];
  const takenOf = new Map<string, bigint>();
  const told = new Map(tenants.flatMap((tenant) => [...takeBacksOf(tenant)]));
  const owners = new Map(
    tenants.flatMap((tenant) =>
      [...takeBacksOf(tenant).keys()].map((id) => [id, tenant.customer.accountId] as const),
    ),
  );
  for (const { account_id, provider_ref: id, amount_minor, status, taken } of booked) {
    const said = told.get(id);
    told.delete(id);
    takenOf.set(account_id, (takenOf.get(account_id) ?? 0n) + taken);
    const isTrue = (status === 'void' || said?.amountMinor === amount_minor) && owners.get(id) === account_id;
    if (!said || !isTrue || said.isVoid !== (status === 'void'))
      problems.push(
        `${id} of ${account_id} is ${status}, ${amount_minor}; ${JSON.stringify(said?.isVoid)} was told`,
      );
  }
  const idle = await db.query<{ account_id: string }>(sql`
    select account_id from wallets where claimed_minor > 0 and available_minor > promo_minor`);
  for (const { account_id } of idle) problems.push(`${account_id} has money and a debt`);
  for (const id of told.keys()) problems.push(`${id} was told and is not booked`);
  return { problems, takenOf };
}

/** The provider's own actions and their weights. */
export const TAKE_BACKS = { takeBack: { weight: 2, run: takeBack } } satisfies Record<
  string,
  { weight: number; run: Operation }
>;
