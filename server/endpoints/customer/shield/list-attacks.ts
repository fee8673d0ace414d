import {
  ATTACK_STATUSES,
  ATTACK_VECTORS,
  type AttackRow,
  listAttacks as queryAttacks,
  SEVERITIES,
} from '../../../db/queries/shield/shield-attacks.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Count, Enum, Id, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { InstantInput, instantFrom } from '../shared/instant-query.ts';
import { loadTarget, TargetParams } from './load-tenant.ts';

const Peak = Shape(
  { value: { ...Count('Bits or packets per second'), format: 'int64' }, at: Timestamp() },
  { $id: 'Peak', description: 'Highest incoming rate, and its time' },
);

const AttackShape = Shape(
  {
    id: Id('atk'),
    target_id: Id('tgt'),
    ip: Type.String({ description: 'The attacked address' }),
    status: Enum(ATTACK_STATUSES, { $id: 'AttackStatus' }),
    vectors: Type.Array(Enum(ATTACK_VECTORS, { $id: 'AttackVector' }), {
      description: 'In the order in which they were detected; empty for the first seconds of the analysis',
    }),
    severity: Enum(SEVERITIES, {
      $id: 'AttackSeverity',
      description: 'Determined by how far the attack exceeded the threshold',
    }),
    reason: Type.String({ description: 'Human-readable reason for the detection' }),
    started_at: Timestamp('The last time at which traffic was normal'),
    mitigated_at: Nullable(
      Timestamp('When its traffic began to be dropped; null if it is not being dropped'),
    ),
    ended_at: Nullable(Timestamp('When traffic returned to normal; null while ongoing')),
    duration_seconds: Count('Up to now while ongoing'),
    peak_bps: Peak,
    peak_pps: Peak,
    dropped_bytes: Count('Bytes dropped during the attack'),
    dropped_packets: Count('Packets dropped during the attack'),
  },
  { $id: 'AttackEvent', description: 'An attack on a protected IP' },
);

function presentAttack(attack: AttackRow, now: Date) {
  const end = attack.ended_at ?? now;
  return {
    id: attack.id,
    target_id: attack.target_id,
    ip: attack.ip,
    status: attack.status,
    vectors: attack.vectors,
    severity: attack.severity,
    reason: attack.reason,
    started_at: attack.started_at,
    mitigated_at: attack.mitigated_at,
    ended_at: attack.ended_at,
    duration_seconds: Math.max(0, Math.floor((end.getTime() - attack.started_at.getTime()) / 1000)),
    peak_bps: { value: Number(attack.peak_bps), at: attack.peak_bps_at },
    peak_pps: { value: Number(attack.peak_pps), at: attack.peak_pps_at },
    dropped_bytes: Number(attack.dropped_bytes),
    dropped_packets: Number(attack.dropped_packets),
  };
}

export const listAttackEvents = endpoint({
  audience: 'customer',
  operation: 'listAttackEvents',
  method: 'GET',
  path: '/v1/tenants/{tid}/targets/{id}/events',
  scope: 'shield:read',
  tag: 'shield',
  summary: 'List the attacks on a protected IP',
  description: [
    'Newest first. `from` is inclusive, `to` exclusive; both apply to `started_at`. An attack is one event until it has',
    'been quiet for 60 seconds, regardless of new vectors.',
  ].join(' '),
  params: TargetParams,
  query: Type.Object({
    ...PageQuery,
    status: Type.Optional(
      Enum(ATTACK_STATUSES, { $id: 'AttackStatus', description: 'Only attacks with this status' }),
    ),
    from: Type.Optional(InstantInput('Only attacks that started at this time or later')),
    to: Type.Optional(InstantInput('Only attacks that started before this time')),
  }),
  data: Type.Array(AttackShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [
    {
      id: 'atk_01ke2a4m6p8r0t2v4x6z8b0d2f',
      target_id: 'tgt_01ke1y7h3b5d7f9h1k3m5p7r9t',
      ip: '100.64.0.2',
      status: 'ended',
      vectors: ['dns_amplification', 'fragment_flood'],
      severity: 'medium',
      reason: '200143 packets/s (threshold 40000) and 2072 Mbit/s (threshold 500) received',
      started_at: '2026-01-05T13:00:00.000Z',
      mitigated_at: '2026-01-05T13:00:02.000Z',
      ended_at: '2026-01-05T13:04:31.000Z',
      duration_seconds: 271,
      peak_bps: { value: 2_072_000_000, at: '2026-01-05T13:00:03.000Z' },
      peak_pps: { value: 200_143, at: '2026-01-05T13:00:03.000Z' },
      dropped_bytes: 69_120_000_000,
      dropped_packets: 53_270_000,
    },
  ],
  load: loadTarget,
  async handle({ resource: target, query, db, now }) {
    const page = pageFrom(query);
    const filter = { status: query.status, from: instantFrom(query.from), to: instantFrom(query.to) };
    const attacks = await queryAttacks(db, target.id, filter, page);
    return paginated(attacks, page, (attack) => presentAttack(attack, now));
  },
});
