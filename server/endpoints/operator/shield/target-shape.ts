import { isIP } from 'node:net';
import type { Queryable } from '../../../db/database.ts';
import {
  findTarget,
  systemFindTarget,
  TARGET_MODES,
  type TargetMode,
  type TargetRow,
  type TargetView,
} from '../../../db/queries/shield/shield-targets.ts';
import { Count, Enum, Id, Nullable, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError, invalidField, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { Watch } from '../../../shield/baseline.ts';

export const TargetParams = Type.Object({ id: PathId('tgt', 'Target identifier') });

/** A thousand times the size of the largest attacks on record. */
const MAX_PPS = 10_000_000_000;
const MAX_BPS = 10_000_000_000_000;

/** The possible thresholds of a target; null means learnt from its usual traffic. */
export const thresholdFields = {
  pps: Nullable(
    Type.Integer({ minimum: 1, maximum: MAX_PPS, description: 'Packets per second', examples: [20_000] }),
  ),
  bps: Nullable(
    Type.Integer({ minimum: 1, maximum: MAX_BPS, description: 'Bits per second', examples: [200_000_000] }),
  ),
};
const ThresholdShape = Shape(thresholdFields, {
  $id: 'TargetThreshold',
  description:
    'Incoming traffic above this rate is treated as an attack; null if learned from the usual traffic',
});

const ThresholdInForce = Shape(
  {
    pps: Type.Integer({ minimum: 1, description: 'Packets per second' }),
    bps: Type.Integer({ minimum: 1, description: 'Bits per second' }),
  },
  {
    $id: 'ThresholdInForce',
    description:
      'Threshold in effect for incoming traffic: the configured value, or otherwise the one learned up to the last minute',
  },
);

export const TargetShape = Shape(
  {
    id: Id('tgt'),
    tenant_id: Id('ten'),
    ip: Type.String({ description: 'The protected IPv4 or IPv6 address' }),
    family: Type.Unsafe<4 | 6>({ type: 'integer', enum: [4, 6] }),
    vm_id: Nullable(Id('vm')),
    mode: Enum(TARGET_MODES),
    status: Enum(['clean', 'under_attack', 'mitigating']),
    rules_count: Count('Number of rules'),
    threshold: ThresholdShape,
    threshold_in_force: ThresholdInForce,
    blackholed_until: Nullable(Timestamp('Until when everything to it is dropped; null if nothing is')),
    on_edge: Type.Boolean({ description: 'True if the edge matches the database' }),
    last_attack_at: Nullable(Timestamp('Start of the latest attack')),
    created_at: Timestamp(),
  },
  { $id: 'Target', description: 'A protected address' },
);

export function presentTarget(target: TargetView) {
  return {
    id: target.id,
    tenant_id: target.tenant_id,
    ip: target.ip,
    family: target.family,
    vm_id: target.vm_id,
    mode: target.mode,
    status: target.status,
    rules_count: target.rules_count,
    threshold: { pps: asNumber(target.threshold_pps), bps: asNumber(target.threshold_bps) },
    threshold_in_force: inForce(target),
    blackholed_until: target.blackholed_until,
    on_edge: target.mode !== 'off' && target.applied >= target.generation,
    last_attack_at: target.last_attack_at,
    created_at: target.created_at,
  };
}

function inForce({ baseline_pps: pps, baseline_bps: bps, threshold_pps, threshold_bps }: TargetRow) {
  const watch = new Watch(pps === null || bps === null ? undefined : { pps, bps });
  const { ownThreshold: learnt } = watch;
  return {
    pps: asNumber(threshold_pps) ?? Math.round(learnt.pps),
    bps: asNumber(threshold_bps) ?? Math.round(learnt.bps),
  };
}

const asNumber = (value: bigint | null) => (value === null ? null : Number(value));

/**
 * Refuses text that is not an IP address with `validation_failed`, because the database would interpret it differently.
 */
export function requireAddress(ip: string): void {
  if (isIP(ip) === 0 || ip.includes('%'))
    throw invalidField('ip', 'invalid_format', 'must be an IPv4 or IPv6 address');
}

/** Returns a target that is not being removed, or throws `not_found`. */
export async function requireTarget(db: Queryable, id: string): Promise<TargetRow> {
  const target = await systemFindTarget(db, id);
  if (!target || target.removed_at) throw notFound();
  return target;
}

/** Presents a target with the current number of its rules and attacks. */
export async function viewOf({ db, clock }: OperatorServices, { tenant_id, id }: TargetRow) {
  const view = await findTarget(db, tenant_id, id, clock.now());
  if (!view) throw notFound();
  return presentTarget(view);
}

/** Refuses protection if there is no edge: no address may be shown as protected then. */
export function requireEdge({ edge }: OperatorServices, mode: TargetMode): void {
  if (edge.name !== 'off' || mode === 'off') return;
  throw new ApiError(
    'invalid_state',
    'There is no DDoS edge here (VAUBAN_EDGE is off): no address can be protected.',
  );
}
