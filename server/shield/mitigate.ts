import type { Database } from '../db/database.ts';
import type { AttackRow } from '../db/queries/shield/shield-attacks.ts';
import {
  countShieldRules,
  extendAutomaticRules,
  findTwinShieldRule,
  hasAutomaticRule,
  insertShieldRule,
} from '../db/queries/shield/shield-rules.ts';
import { bumpTarget, systemLockTarget } from '../db/queries/shield/shield-targets.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { AUTOMATIC_MS, AUTOMATIC_PRIORITY, describeRule } from './mitigation.ts';
import type { RuleSpec } from './rule.ts';
import { RULES_PER_TARGET } from './target.ts';

/** During an attack, automatic rules with less time left than this are extended. */
const EXTEND_WITHIN_MS = 120_000;

/**
 * Writes an automatic rule against an attack. Returns `full` if the target cannot take another rule, and `present` if
 * it already has an equivalent rule or an automatic one for the same packets, which stays in force. Only a `written`
 * rule has to be put on the edge.
 */
export function writeAutomaticRule(
  db: Database,
  clock: Clock,
  attack: AttackRow,
  spec: RuleSpec,
): Promise<'written' | 'present' | 'full'> {
  return db.transaction(async (tx) => {
    const target = await systemLockTarget(tx, attack.target_id);
    if (target?.mode !== 'always_on') return 'full';
    if (await findTwinShieldRule(tx, target.id, spec.fingerprint)) return 'present';
    if (await hasAutomaticRule(tx, target.id, spec)) return 'present';
    if ((await countShieldRules(tx, target.id)) >= RULES_PER_TARGET) return 'full';
    const now = clock.now();
    await insertShieldRule(tx, {
      ...spec,
      id: newId('rul', clock),
      account_id: target.account_id,
      target_id: target.id,
      origin: 'automatic',
      attack_id: attack.id,
      priority: AUTOMATIC_PRIORITY,
      comment: describeRule(spec),
      enabled: true,
      expires_at: new Date(now.getTime() + AUTOMATIC_MS),
      status: 'pending',
      generation: await bumpTarget(tx, target.id),
      created_at: now,
    });
    return 'written';
  });
}

/** Extends the automatic rules against an ongoing attack. */
export function keepMitigating(db: Database, attackId: string, now: Date): Promise<void> {
  return extendAutomaticRules(db, attackId, {
    before: new Date(now.getTime() + EXTEND_WITHIN_MS),
    until: new Date(now.getTime() + AUTOMATIC_MS),
  });
}
