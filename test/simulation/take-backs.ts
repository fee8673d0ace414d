import { type Database, sql } from '../../server/db/database.ts';
import type { TopUpRow } from '../../server/db/queries/top-ups.ts';
import { collectReversals } from '../../server/payments/tasks.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Services } from '../../server/services.ts';
import type { Operation } from './operations.ts';
import type { Tenant } from './tenant.ts';
import { bookOf, deliver } from './top-ups.ts';

/** What Stripe has said of money that it took back. */
interface TakeBack {
  id: string;
  kind: 'refund' | 'dispute';
  topUp: Pick<TopUpRow, 'id' | 'currency'>;
  amountMinor: bigint;
  /** It came to nothing, which stays so. */
  isVoid: boolean;
}

const notebooks = new WeakMap<Tenant, Map<string, TakeBack>>();

function takeBacksOf(tenant: Tenant): Map<string, TakeBack> {
  const known = notebooks.get(tenant) ?? new Map();
  notebooks.set(tenant, known);
  return known;
}

/** What Stripe tells of it: that the money is gone, or that it is given back. */
function eventOf({ id, kind, topUp, amountMinor }: TakeBack, isVoid: boolean) {
  const common = { id, amount: Number(amountMinor), payment_intent: `pi_${topUp.id}`, metadata: {} };
  const object = { ...common, currency: topUp.currency.toLowerCase() };
  return kind === 'refund'
    ? { type: 'refund.updated', data: { object: { ...object, status: isVoid ? 'failed' : 'succeeded' } } }
    : {
        type: 'charge.dispute.updated',
        data: { object: { ...object, status: isVoid ? 'won' : 'needs_response' } },
      };
}

/** Money is taken back, or given back after all: told in any order, again and again, and to both nodes at once. */
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
  };
  known.set(one.id, one);
  const isVoid = Array.from({ length: prng.between(1, 3) }, () => prng.chance(0.3));
  await Promise.all(isVoid.map((end) => deliver(world.someNode().services, eventOf(one, end))));
  one.isVoid ||= isVoid.includes(true);
  return one.isVoid ? 'given_back' : 'ok';
};

/** What customers have to know who lost their notebooks. */
export async function rememberTakeBacks(db: Database, tenant: Tenant): Promise<void> {
  const rows = await db.query<Booked & { kind: TakeBack['kind']; top_up_id: string; currency: string }>(sql`
    select r.*, t.currency from top_up_reversals r join top_ups t on t.id = r.top_up_id
    where r.account_id = ${tenant.customer.accountId}`);
  for (const { provider_ref: id, kind, amount_minor: amountMinor, status, top_up_id, currency } of rows) {
    const topUp = { id: top_up_id, currency };
    takeBacksOf(tenant).set(id, { id, kind, topUp, amountMinor, isVoid: status === 'void' });
    if (status === 'taken') tenant.creditedMinor += amountMinor;
  }
}

interface Booked {
  account_id: string;
  provider_ref: string;
  amount_minor: bigint;
  status: 'owed' | 'taken' | 'void';
}

/** Has everything that is owed and covered collected, in a world at rest. */
export async function collectAll(services: Services): Promise<void> {
  const covered = sql`select 1 from top_up_reversals r join wallets w on w.account_id = r.account_id
    where status = 'owed' and amount_minor <= available_minor - promo_minor limit 1`;
  const failures = new Failures(services);
  while ((await services.db.query(covered)).length > 0) await collectReversals(services, failures);
}

/**
 * Where what was taken back is not booked as Stripe told it, once and in full; and what left the wallets of their
 * customers for it.
 */
export async function takeBackProblems(
  db: Database,
  tenants: Tenant[],
): Promise<{ problems: string[]; takenOf: Map<string, bigint> }> {
  const booked = await db.query<Booked>(
    sql`select account_id, provider_ref, amount_minor, status from top_up_reversals`,
  );
  const problems: string[] = [];
  const takenOf = new Map<string, bigint>();
  const told = new Map(tenants.flatMap((tenant) => [...takeBacksOf(tenant)]));
  const owners = new Map(
    tenants.flatMap((tenant) =>
      [...takeBacksOf(tenant).keys()].map((id) => [id, tenant.customer.accountId] as const),
    ),
  );
  for (const { account_id, provider_ref: id, amount_minor, status } of booked) {
    const said = told.get(id);
    told.delete(id);
    if (status === 'taken') takenOf.set(account_id, (takenOf.get(account_id) ?? 0n) + amount_minor);
    const isTrue = said?.amountMinor === amount_minor && owners.get(id) === account_id;
    if (!isTrue || said.isVoid !== (status === 'void'))
      problems.push(
        `${id} of ${account_id} is ${status}, ${amount_minor}; ${JSON.stringify(said?.isVoid)} was told`,
      );
  }
  for (const id of told.keys()) problems.push(`${id} was told and is not booked`);
  return { problems, takenOf };
}

/** What a provider does by itself, and how often. */
export const TAKE_BACKS = { takeBack: { weight: 2, run: takeBack } } satisfies Record<
  string,
  { weight: number; run: Operation }
>;
