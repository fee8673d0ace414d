import {
  ATTACK_STATUSES,
  ATTACK_VECTORS,
  type AttackRow,
  SEVERITIES,
  systemListAttacks,
} from '../../../db/queries/shield/shield-attacks.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Id, Input, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const Whole = (description: string) => Type.Integer({ minimum: 0, description });

export const listAttacks = endpoint({
  audience: 'operator',
  operation: 'listAttacks',
  method: 'GET',
  path: '/attacks',
  tag: 'shield',
  summary: 'List the attacks on all targets, newest first',
  query: Input({ ...PageQuery, status: Type.Optional(Enum(ATTACK_STATUSES)) }),
  data: Type.Array(
    Shape(
      {
        id: Id('atk'),
        account_id: Id('acc'),
        target_id: Id('tgt'),
        ip: Type.String({ description: 'The address that was attacked' }),
        status: Enum(ATTACK_STATUSES),
        vectors: Type.Array(Enum(ATTACK_VECTORS)),
        severity: Enum(SEVERITIES),
        peak_pps: Whole('Peak packets per second'),
        peak_bps: Whole('Peak bits per second'),
        dropped_packets: Whole('Dropped packets'),
        started_at: Timestamp(),
        mitigated_at: Nullable(Timestamp()),
        ended_at: Nullable(Timestamp()),
      },
      { $id: 'OperatorAttack', description: 'An attack on an address of any account' },
    ),
  ),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await systemListAttacks(db, query.status, page), page, present);
  },
});

const present = ({ tenant_id: _, reason: __, peak_bps_at: ___, peak_pps_at: ____, ...row }: AttackRow) => {
  const { dropped_bytes: _____, ...shown } = row;
  return {
    ...shown,
    peak_bps: Number(row.peak_bps),
    peak_pps: Number(row.peak_pps),
    dropped_packets: Number(row.dropped_packets),
  };
};
