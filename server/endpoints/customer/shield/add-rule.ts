import {
  countShieldRules,
  deleteShieldRule,
  findTwinShieldRule,
  insertShieldRule,
  type StoredRule,
} from '../../../db/queries/shield-rules.ts';
import type { EdgeCapabilities } from '../../../edge/driver.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { requireRuleSpec } from '../../../shield/rule.ts';
import { beginRuleChange, RULES_PER_TARGET, requireRoom } from '../../../shield/target.ts';
import { loadTargetForChange, TargetParams } from './load-tenant.ts';
import { exampleShieldRule, presentShieldRule, ShieldRuleInput, ShieldRuleShape } from './rule-shape.ts';

/** What the edge cannot do is refused, never approximated. */
function requireCapable(edge: EdgeCapabilities, rate: StoredRule['rate'], priority: number | undefined) {
  if (rate && !edge.rateUnits.includes(rate.unit)) {
    throw invalidField('rate', 'not_supported', `this edge cannot limit by ${rate.unit}`);
  }
  const most = rate && edge.maxRate?.[rate.unit];
  if (most && rate.value > most) {
    throw invalidField('rate', 'not_supported', `this edge limits to at most ${most} ${rate.unit}`);
  }
  if (priority !== undefined && edge.ordering !== 'priority') {
    throw invalidField('priority', 'not_supported', 'this edge orders rules by how specific they are');
  }
}

function expiryOf(text: string | null | undefined, now: Date): Date | null {
  if (text === null || text === undefined) return null;
  const at = new Date(text);
  if (at <= now) throw invalidField('expires_at', 'past', 'must be in the future');
  return at;
}

export const addShieldRule = endpoint({
  operation: 'addShieldRule',
  method: 'POST',
  path: '/v1/tenants/{tid}/targets/{id}/rules',
  scope: 'shield:write',
  tag: 'shield',
  summary: 'Add a blocking rule',
  description: [
    'A network has no bits set right of its prefix and is of the address family of the target; ports need `tcp` or',
    '`udp`, `tcp_flags` need `tcp`, and `rate` stands exactly where the action is `rate_limit`. A rule that takes every',
    `packet needs \`confirm_block_all\`. A protected IP has at most ${RULES_PER_TARGET} rules, automatic ones included. A`,
    'rule of the same action, match and rate as one that exists is refused with `rule_exists` and',
    '`details.existing_id`.',
  ].join(' '),
  params: TargetParams,
  body: ShieldRuleInput,
  data: ShieldRuleShape,
  errors: ['quota_exceeded', 'rule_exists'],
  example: exampleShieldRule,
  load: loadTargetForChange,
  async handle(context) {
    const { resource: target, body, db, services, now } = context;
    const spec = requireRuleSpec(body, target.family);
    requireCapable(services.edge.capabilities(), spec.rate, body.priority);
    const expires_at = expiryOf(body.expires_at, now);
    const twin = await findTwinShieldRule(db, target.id, spec.fingerprint);
    const isOver = twin?.expires_at && twin.expires_at <= now;
    if (twin && !isOver) {
      throw new ApiError('rule_exists', 'The target has this rule already.', { existing_id: twin.id });
    }
    // Expired and about to be deleted: in the way only for a moment.
    if (twin) await deleteShieldRule(db, twin.id);
    requireRoom('shield_rules_per_target', RULES_PER_TARGET, await countShieldRules(db, target.id));
    const row = await insertShieldRule(db, {
      ...spec,
      id: newId('rul', services.clock),
      account_id: target.account_id,
      target_id: target.id,
      origin: 'user',
      attack_id: null,
      priority: body.priority ?? 100,
      comment: body.comment ?? null,
      enabled: body.enabled ?? true,
      expires_at,
      status: 'pending',
      generation: await beginRuleChange(context, target.id),
      created_at: now,
    });
    return { data: presentShieldRule(row!) };
  },
});
