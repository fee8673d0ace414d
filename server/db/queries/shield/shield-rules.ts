import type { EdgeRule } from '../../../edge/driver.ts';
import { execute, maybeOne, one, type Queryable, sql, type Transaction } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';
import { systemLockTarget } from './shield-targets.ts';

export type ShieldRuleStatus = 'pending' | 'active' | 'error';
export type RuleOrigin = 'user' | 'automatic';

/** A rule as the edge takes it, with what the service knows about it. */
export interface ShieldRuleRow extends EdgeRule {
  account_id: string;
  target_id: string;
  origin: RuleOrigin;
  /** The attack that an automatic rule responds to. */
  attack_id: string | null;
  /** Equal for rules with the same action, match and rate. */
  fingerprint: string;
  priority: number;
  comment: string | null;
  enabled: boolean;
  expires_at: Date | null;
  status: ShieldRuleStatus;
  /** The target's generation that added the rule. */
  generation: number;
  created_at: Date;
}

/** Inserts a rule; undefined if the target already has one with the same meaning. */
export function insertShieldRule(db: Queryable, rule: ShieldRuleRow): Promise<ShieldRuleRow | undefined> {
  return maybeOne<ShieldRuleRow>(
    db,
    sql`
    insert into shield_rules (id, account_id, target_id, origin, attack_id, action, match, rate, fingerprint, priority, comment,
      enabled, expires_at, status, generation, created_at)
    values (${rule.id}, ${rule.account_id}, ${rule.target_id}, ${rule.origin}, ${rule.attack_id}, ${rule.action},
      ${JSON.stringify(rule.match)}::text::jsonb, ${rule.rate && JSON.stringify(rule.rate)}::text::jsonb, ${rule.fingerprint},
      ${rule.priority}, ${rule.comment}, ${rule.enabled}, ${rule.expires_at}, ${rule.status}, ${rule.generation}, ${rule.created_at})
    on conflict (target_id, fingerprint) do nothing returning *`,
  );
}

/** Returns the target's rule with this meaning, expired or not. */
export function findTwinShieldRule(
  db: Queryable,
  targetId: string,
  fingerprint: string,
): Promise<ShieldRuleRow | undefined> {
  return maybeOne<ShieldRuleRow>(
    db,
    sql`select * from shield_rules where target_id = ${targetId} and fingerprint = ${fingerprint}`,
  );
}

/** Returns whether a target has an automatic rule that matches the same packets, whatever its rate. */
export async function hasAutomaticRule(
  db: Queryable,
  targetId: string,
  { action, match }: Pick<EdgeRule, 'action' | 'match'>,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from shield_rules where target_id = ${targetId} and origin = 'automatic' and action = ${action}
      and match = ${JSON.stringify(match)}::text::jsonb limit 1`);
  return rows.length > 0;
}

export function listShieldRules(
  db: Queryable,
  targetId: string,
  page: Page,
  now: Date,
): Promise<ShieldRuleRow[]> {
  return db.query<ShieldRuleRow>(sql`
    select * from shield_rules where target_id = ${targetId} and (expires_at is null or expires_at > ${now})
    ${pageOf(sql`id`, page)}`);
}

/** Returns a target's rule, unless it has expired. */
export function findShieldRule(
  db: Queryable,
  targetId: string,
  id: string,
  now: Date,
): Promise<ShieldRuleRow | undefined> {
  return maybeOne<ShieldRuleRow>(
    db,
    sql`select * from shield_rules
      where id = ${id} and target_id = ${targetId} and (expires_at is null or expires_at > ${now})`,
  );
}

export async function countShieldRules(db: Queryable, targetId: string): Promise<number> {
  return (
    await one<{ n: number }>(
      db,
      sql`select count(*)::int as n from shield_rules where target_id = ${targetId}`,
    )
  ).n;
}

export async function deleteShieldRule(db: Queryable, id: string): Promise<void> {
  await execute(db, sql`delete from shield_rules where id = ${id}`);
}

export async function deleteAutomaticRules(db: Queryable, targetId: string): Promise<void> {
  await execute(db, sql`delete from shield_rules where target_id = ${targetId} and origin = 'automatic'`);
}

/**
 * Deletes expired rules. Returns the targets whose rules must be sent to the edge again because of that, under a new
 * generation. A target locked by another change is left for the next round.
 */
export async function expireShieldRules(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with due as (
      select id from shield_targets where id in (select target_id from shield_rules where expires_at <= ${now})
      order by id for no key update skip locked
    ), gone as (
      delete from shield_rules where expires_at <= ${now} and target_id in (select id from due) returning target_id
    )
    update shield_targets set generation = generation + 1 where id in (select target_id from gone) returning id`);
  return rows.map((row) => row.id);
}

/** Deletes automatic rules that make the edge answer SYNs, for an edge that no longer does; others replace them. */
export async function deleteProxyRules(db: Queryable): Promise<void> {
  const isProxy = sql`origin = 'automatic' and rate -> 'synProxy' is not null`;
  await execute(
    db,
    sql`
    with due as (
      select id from shield_targets where id in (select target_id from shield_rules where ${isProxy})
      order by id for no key update
    ), gone as (
      delete from shield_rules where ${isProxy} and target_id in (select id from due) returning target_id
    )
    update shield_targets set generation = generation + 1 where id in (select target_id from gone)`,
  );
}

/** Extends the automatic rules against an ongoing attack. A rule that is being changed is skipped until next time. */
export async function extendAutomaticRules(
  db: Queryable,
  attackId: string,
  { before, until }: { before: Date; until: Date },
): Promise<void> {
  await execute(
    db,
    sql`
    update shield_rules set expires_at = ${until} where id in (
      select id from shield_rules where attack_id = ${attackId} and origin = 'automatic' and expires_at < ${before}
      for no key update skip locked)`,
  );
}

/**
 * Returns the rules that should be in force on the given targets, in evaluation order: lowest priority first, then
 * oldest.
 */
export function effectiveShieldRules(
  db: Queryable,
  targetIds: string[],
  now: Date,
): Promise<(EdgeRule & { target_id: string; priority: number })[]> {
  return db.query(sql`
    select id, target_id, action, match, rate, priority from shield_rules
    where target_id = any(${targetIds}::text[]) and enabled and (expires_at is null or expires_at > ${now})
    order by target_id, priority, id`);
}

/** Returns targets with a rule that the edge refused or could not be sent. */
export async function targetsWithFailedRules(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ target_id: string }>(
    sql`select distinct target_id from shield_rules where status = 'error'`,
  );
  return rows.map((row) => row.target_id);
}

/**
 * Records that the edge has applied these targets up to a generation each, except for the refused rules. Rules become
 * active, and an attack with an active rule counts as mitigated from now on. A target for which the edge has already
 * applied a later generation stays as it is.
 */
export async function settleTargets(
  db: Transaction,
  targets: readonly { id: string; generation: number }[],
  { now, refused }: { now: Date; refused: readonly string[] },
): Promise<void> {
  const ids = targets.map(({ id }) => id);
  const generations = targets.map(({ generation }) => generation);
  const settled = await db.query<{ id: string; generation: number }>(sql`
    with given as (
      select id, generation from unnest(${ids}::text[], ${generations}::int[]) as given (id, generation)
    ), held as (
      select id from shield_targets where id in (select id from given) order by id for no key update
    )
    update shield_targets t set applied = given.generation
    from given join held using (id)
    where t.id = given.id and t.applied <= given.generation
    returning t.id, given.generation`);
  const settledIds = settled.map(({ id }) => id);
  await execute(
    db,
    sql`
    update shield_rules r
    set status = case when r.id = any(${refused}::text[]) then 'error' else 'active' end
    from unnest(${settledIds}::text[], ${settled.map(({ generation }) => generation)}::int[]) as settled (id, generation)
    where r.target_id = settled.id and r.generation <= settled.generation
      and r.status <> case when r.id = any(${refused}::text[]) then 'error' else 'active' end`,
  );
  await execute(
    db,
    sql`
    update shield_attacks set mitigated_at = ${now}
    where target_id = any(${settledIds}::text[]) and status = 'ongoing' and mitigated_at is null
      and exists (select 1 from shield_rules r where r.attack_id = shield_attacks.id and r.status = 'active')`,
  );
}

/** Records that the edge is down: pending rules get status `error`, except on targets that are being changed. */
export async function failPendingRules(db: Queryable): Promise<void> {
  await execute(
    db,
    sql`
    with held as (
      select id from shield_targets where id in (select target_id from shield_rules where status = 'pending')
        and mode <> 'off'
      order by id for no key update skip locked
    )
    update shield_rules set status = 'error' where status = 'pending' and target_id in (select id from held)`,
  );
}

/** Records that the edge refused a target: its pending rules get status `error`. */
export async function failTarget(db: Transaction, id: string, generation: number): Promise<void> {
  await systemLockTarget(db, id);
  await execute(
    db,
    sql`
    update shield_rules set status = 'error'
    where target_id = ${id} and status = 'pending' and generation <= ${generation}`,
  );
}

/** Makes the rules of a target that is off the edge pending. */
export async function suspendTargetRules(db: Transaction, id: string, generation: number): Promise<void> {
  await markApplied(db, id, generation);
  await execute(db, sql`update shield_rules set status = 'pending' where target_id = ${id}`);
}

/** Also locks the target, which must come before its rules and attacks. */
async function markApplied(db: Transaction, id: string, generation: number): Promise<void> {
  await execute(
    db,
    sql`update shield_targets set applied = greatest(applied, ${generation}::int) where id = ${id}`,
  );
}
