import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

export interface PromoCreditRow {
  id: string;
  account_id: string;
  amount_minor: bigint;
  /** The part that can still be spent. */
  remaining_minor: bigint;
  expires_at: Date;
  revoked_at: Date | null;
  reason: string;
  /** The operator who granted it, such as "root" or "anna as root". */
  actor: string;
  created_at: Date;
}

const columns = sql`id, account_id, amount_minor, remaining_minor, expires_at, revoked_at, reason, actor, created_at`;

/** When credit ends. An amount returned to it later ends at once. */
export const END = sql`coalesce(revoked_at, expires_at)`;

export async function insertPromoCredit(db: Queryable, credit: PromoCreditRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into promo_credits (${columns})
    values (${credit.id}, ${credit.account_id}, ${credit.amount_minor}::bigint, ${credit.remaining_minor}::bigint,
      ${credit.expires_at}, ${credit.revoked_at}, ${credit.reason}, ${credit.actor}, ${credit.created_at})`,
  );
}

export function findPromoCredit(db: Queryable, id: string): Promise<PromoCreditRow | undefined> {
  return maybeOne<PromoCreditRow>(db, sql`select ${columns} from promo_credits where id = ${id}`);
}

/** Lists the credits of one account or of all, newest first. */
export function listPromoCredits(
  db: Queryable,
  accountId: string | undefined,
  page: Page,
): Promise<PromoCreditRow[]> {
  const scope = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`;
  return db.query<PromoCreditRow>(
    sql`select ${columns} from promo_credits where ${scope} ${pageOf(sql`id`, page)}`,
  );
}

/** Ends credit early. The caller must hold the wallet's lock. */
export function markRevoked(db: Queryable, id: string, at: Date): Promise<PromoCreditRow> {
  return one<PromoCreditRow>(
    db,
    sql`update promo_credits set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} returning ${columns}`,
  );
}

/** Returns the remaining amounts of an account's credits, in the order in which they are spent. */
export function promoLeft(
  db: Queryable,
  accountId: string,
): Promise<{ remaining_minor: bigint; ends_at: Date }[]> {
  return db.query(sql`
    select remaining_minor, ${END} as ends_at from promo_credits
    where account_id = ${accountId} and remaining_minor > 0 order by ${END}, id`);
}

/** Returns up to `limit` accounts after `after` that have credit left whose end has passed. */
export async function accountsWithEndedPromo(
  db: Queryable,
  now: Date,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(sql`
    select distinct account_id from promo_credits
    where remaining_minor > 0 and ${END} <= ${now} and account_id > ${after} order by 1 limit ${limit}`);
  return rows.map(({ account_id }) => account_id);
}

/**
 * Takes the remaining amounts of an account's credits whose end has passed, and returns what was taken from each. The
 * caller must hold the wallet's lock.
 */
export function takeEndedPromo(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<{ id: string; amount_minor: bigint; revoked: boolean }[]> {
  return db.query(sql`
    with ended as (
      select id, remaining_minor, revoked_at is not null as revoked from promo_credits
      where account_id = ${accountId} and remaining_minor > 0 and ${END} <= ${now}
    ), taken as (
      update promo_credits set remaining_minor = 0 from ended where ended.id = promo_credits.id
      returning ended.id, ended.remaining_minor as amount_minor, ended.revoked
    )
    select * from taken order by id`);
}

interface Draw {
  orderId: string;
  /** The amount, at most, that it takes or returns. */
  amountMinor: bigint;
}

/**
 * Takes an order's cost from an account's credits, soonest end first, and records how much came from which credit for
 * which line: each line that charges gets its share, which rounds to nothing for a small one. The caller must hold the
 * wallet's lock and have checked that there is enough.
 */
export async function drawPromo(
  db: Queryable,
  { accountId, orderId, amountMinor }: Draw & { accountId: string },
): Promise<void> {
  const total = sql`${amountMinor}::bigint`;
  const { moved } = await one<{ moved: bigint }>(
    db,
    sql`
    with taken as (
      select id, before, least(before + most, ${total}) as upto from (
        select id, remaining_minor as most, coalesce(sum(remaining_minor) over (
          order by ${END}, id rows between unbounded preceding and 1 preceding), 0) as before
        from promo_credits where account_id = ${accountId} and remaining_minor > 0
      ) share where before < ${total}
    ), lines as (
      select position, div(${total} * (sum(amount_minor) over charges - amount_minor), sum(amount_minor) over ()) as before,
        div(${total} * sum(amount_minor) over charges, sum(amount_minor) over ()) as upto
      from order_lines where order_id = ${orderId} and amount_minor > 0
      window charges as (order by position)
    ), credits as (
      update promo_credits set remaining_minor = remaining_minor - (upto - before)
      from taken where taken.id = promo_credits.id returning upto - before as amount
    ), draws as (
      insert into promo_draws (order_id, promo_credit_id, position, amount_minor)
      select ${orderId}, taken.id, lines.position, least(taken.upto, lines.upto) - greatest(taken.before, lines.before)
      from taken join lines on taken.before < lines.upto and lines.before < taken.upto and lines.before < lines.upto
      order by taken.before, lines.before
    )
    select coalesce(sum(amount), 0)::bigint as moved from credits`,
  );
  if (moved !== amountMinor)
    throw new Error(`${accountId} has ${moved} of promotional credit, not ${amountMinor}`);
}

/**
 * Returns to the credits everything that a pending order has drawn, and returns the amount. The caller must hold the
 * wallet's lock.
 */
export async function undrawPromo(db: Queryable, orderId: string): Promise<bigint> {
  const { moved } = await one<{ moved: bigint }>(
    db,
    sql`
    with drawn as (
      select promo_credit_id as id, sum(amount_minor)::bigint as amount from promo_draws where order_id = ${orderId} group by 1
    ), credits as (
      update promo_credits set remaining_minor = remaining_minor + amount from drawn where drawn.id = promo_credits.id
    ), draws as (
      insert into promo_draws (order_id, promo_credit_id, amount_minor) select ${orderId}, id, -amount from drawn order by id
    )
    select coalesce(sum(amount), 0)::bigint as moved from drawn`,
  );
  return moved;
}
