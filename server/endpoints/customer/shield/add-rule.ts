import type { Queryable } from '../../../db/database.ts';
import {
  countShieldRules,
  deleteShieldRule,
  effectiveShieldRules,
  findTwinShieldRule,
  insertShieldRule,
} from '../../../db/queries/shield/shield-rules.ts';
import type { TargetRow } from '../../../db/queries/shield/shield-targets.ts';
import type { EdgeCapabilities, EdgeRefusal, EdgeRule } from '../../../edge/driver.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { requireRuleSpec } from '../../../shield/rule.ts';
import { beginRuleChange, RULES_PER_TARGET, requireRoom } from '../../../shield/target.ts';
import { loadTargetForChange, TargetParams } from './load-tenant.ts';
import { exampleShieldRule, presentShieldRule, ShieldRuleInput, ShieldRuleShape } from './rule-shape.ts';

/** Refuses a rate that the edge cannot enforce; it is never approximated. */
function requireCapable(edge: EdgeCapabilities, rate: EdgeRule['rate']) {
  if (rate && !edge.rateUnits.includes(rate.unit)) {
    throw invalidField('rate', 'not_supported', `this edge cannot limit by ${rate.unit}`);
  }
  const most = rate && edge.maxRate?.[rate.unit];
  if (most && rate.value > most) {
    throw invalidField('rate', 'not_supported', `this edge supports limits of at most ${most} ${rate.unit}`);
  }
}

/** Refuses a rule that the edge cannot enforce along with the rules in force on its target. */
async function requireEnforceable(
  { capabilities, db, now }: { capabilities: EdgeCapabilities; db: Queryable; now: Date },
  { id, ip, family }: TargetRow,
  rule: EdgeRule & { priority: number },
): Promise<void> {
  if (!capabilities.refusals) return;
  const others = await effectiveShieldRules(db, [id], now);
  const at = others.findIndex(({ priority }) => priority > rule.priority);
  const rules = others.toSpliced(at < 0 ? others.length : at, 0, { ...rule, target_id: id });
  // A rule that was already refused is no reason to refuse this one.
  const before = new Set(
    capabilities.refusals({ id, ip, family, rules: others }).map(({ ruleId }) => ruleId),
  );
  const refusal = capabilities.refusals({ id, ip, family, rules }).find(({ ruleId }) => !before.has(ruleId));
  if (refusal) throw invalidField(FIELDS[refusal.field], 'not_supported', refusal.message);
}

/** The customers' names for the fields that an edge may refuse. */
const FIELDS: Record<EdgeRefusal['field'], string> = {
  protocol: 'protocol',
  source: 'source',
  sourcePorts: 'source_ports',
  destinationPorts: 'destination_ports',
  packetLength: 'packet_length',
  tcpFlags: 'tcp_flags',
  fragments: 'fragments',
  rate: 'rate',
  priority: 'priority',
  target: 'target',
};

const DEFAULT_PRIORITY = 100;

function expiryOf(text: string | null | undefined, now: Date): Date | null {
  if (text === null || text === undefined) return null;
  const at = new Date(text);
  if (at <= now) throw invalidField('expires_at', 'in_the_past', 'must be in the future');
  return at;
}

export const addShieldRule = endpoint({
  audience: 'customer',
  operation: 'addShieldRule',
  method: 'POST',
  path: '/v1/tenants/{tid}/targets/{id}/rules',
  scope: 'shield:write',
  tag: 'shield',
  summary: 'Add a blocking rule',
  description: [
    'A network must not have bits set to the right of its prefix and must belong to the address family of the target; ports require `tcp` or',
    '`udp`, `tcp_flags` require `tcp`, and `rate` is required for `rate_limit` and not allowed otherwise. A rule that matches every',
    `packet requires \`confirm_block_all\`. A protected IP can have at most ${RULES_PER_TARGET} rules, including automatic ones. A`,
    'rule with the same action, match and rate as an existing one is refused with `rule_exists` and',
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
    const capabilities = services.edge.capabilities();
    requireCapable(capabilities, spec.rate);
    const expires_at = expiryOf(body.expires_at, now);
    const twin = await findTwinShieldRule(db, target.id, spec.fingerprint);
    const isOver = twin?.expires_at && twin.expires_at <= now;
    if (twin && !isOver) {
      throw new ApiError('rule_exists', 'The target already has this rule.', { existing_id: twin.id });
    }
    // An expired rule that is about to be deleted is in the way only for a moment.
    if (twin) await deleteShieldRule(db, twin.id);
    requireRoom('shield_rules_per_target', RULES_PER_TARGET, await countShieldRules(db, target.id));
    const rule = { ...spec, id: newId('rul', services.clock), priority: body.priority ?? DEFAULT_PRIORITY };
    const enabled = body.enabled ?? true;
    if (enabled) await requireEnforceable({ capabilities, db, now }, target, rule);
    const row = await insertShieldRule(db, {
      ...rule,
      account_id: target.account_id,
      target_id: target.id,
      origin: 'user',
      attack_id: null,
      comment: body.comment ?? null,
      enabled,
      expires_at,
      status: 'pending',
      generation: await beginRuleChange(context, target.id),
      created_at: now,
    });
    return { data: presentShieldRule(row!) };
  },
});
