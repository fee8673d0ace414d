import { tenantFigures } from '../../../db/queries/shield/shield-tenants.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Enum, Id, Shape } from '../../../http/schemas.ts';
import { RULES_PER_TARGET } from '../../../shield/target.ts';
import { loadTenant, TenantParams } from './load-tenant.ts';

const DAY_MS = 86_400_000;

const ShieldSummaryShape = Shape(
  {
    tenant_id: Id('ten'),
    status: Enum(['clean', 'under_attack'], { $id: 'ShieldStatus' }),
    targets_total: Count('Protected IPs'),
    targets_under_attack: Count('Protected IPs under attack'),
    active_attacks: Count('Ongoing attacks'),
    attacks_24h: Count('Attacks that started within the last 24 hours'),
    attacks_30d: Count('Attacks that started within the last 30 days'),
    peak_30d: Shape(
      { bps: Count('Bits per second'), pps: Count('Packets per second') },
      { $id: 'TrafficPeak', description: 'Highest incoming rate of an attack within the last 30 days' },
    ),
    rules_total: Count('Rules of all protected IPs'),
    rules_limit: Count('Maximum number of rules for all protected IPs together'),
  },
  { $id: 'ShieldSummary', description: 'Overview of a DDoS Shield tenant' },
);

export const getShieldSummary = endpoint({
  audience: 'customer',
  operation: 'getShieldSummary',
  method: 'GET',
  path: '/v1/tenants/{tid}/summary',
  scope: 'shield:read',
  tag: 'shield',
  summary: 'Get the DDoS Shield overview',
  description: 'The ids of your tenants are in `shield_tenant_ids` of the billing summary.',
  params: TenantParams,
  data: ShieldSummaryShape,
  errors: [],
  example: {
    tenant_id: 'ten_01ke1y7c4e6g8j0m2p4r6t8v0x',
    status: 'clean',
    targets_total: 2,
    targets_under_attack: 0,
    active_attacks: 0,
    attacks_24h: 1,
    attacks_30d: 3,
    peak_30d: { bps: 2_240_000_000, pps: 200_000 },
    rules_total: 4,
    rules_limit: 100,
  },
  load: loadTenant,
  async handle({ resource: tenant, db, now }) {
    const ago = (days: number) => new Date(now.getTime() - days * DAY_MS);
    const figures = await tenantFigures(db, tenant.id, { now, dayAgo: ago(1), monthAgo: ago(30) });
    const { peak_bps, peak_pps, ...counts } = figures;
    return {
      data: {
        tenant_id: tenant.id,
        status: counts.active_attacks > 0 ? 'under_attack' : 'clean',
        ...counts,
        peak_30d: { bps: Number(peak_bps), pps: Number(peak_pps) },
        rules_limit: counts.targets_total * RULES_PER_TARGET,
      },
    };
  },
});
