import { listTargets, TARGET_MODES, type TargetView } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Count, Enum, Id, IpFamily, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { RULES_PER_TARGET } from '../../../shield/target.ts';
import { loadTenant, TenantParams } from './load-tenant.ts';

const TargetShape = Shape(
  {
    id: Id('tgt'),
    ip: Type.String({ description: 'The protected IPv4 or IPv6 address' }),
    family: IpFamily,
    vm_id: Nullable(Id('vm')),
    mode: Enum(TARGET_MODES, {
      $id: 'ShieldTargetMode',
      description:
        '`always_on` detects attacks and creates rules against them; `sensor` only detects them; `off` removes the address from the ' +
        'edge and keeps its rules',
    }),
    status: Enum(['clean', 'under_attack', 'mitigating'], {
      $id: 'ShieldTargetStatus',
      description: '`mitigating`: under attack, and the attack traffic is being dropped',
    }),
    rules_count: Count('Number of rules, including automatic ones'),
    rules_limit: Count('Maximum number of rules'),
    last_attack_at: Nullable(Timestamp('Start of the latest attack')),
  },
  { $id: 'ShieldTarget', description: 'A protected IP' },
);

function presentTarget(target: TargetView) {
  return {
    id: target.id,
    ip: target.ip,
    family: target.family,
    vm_id: target.vm_id,
    mode: target.mode,
    status: target.status,
    rules_count: target.rules_count,
    rules_limit: RULES_PER_TARGET,
    last_attack_at: target.last_attack_at,
  };
}

export const listShieldTargets = endpoint({
  audience: 'customer',
  operation: 'listShieldTargets',
  method: 'GET',
  path: '/v1/tenants/{tid}/targets',
  scope: 'shield:read',
  tag: 'shield',
  summary: 'List the protected IPs',
  description:
    "Returns every public address of the account's VMs, newest first, with its mode and its status.",
  params: TenantParams,
  query: Type.Object(PageQuery),
  data: Type.Array(TargetShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [
    {
      id: 'tgt_01ke1y7h3b5d7f9h1k3m5p7r9t',
      ip: '100.64.0.2',
      family: 4,
      vm_id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g',
      mode: 'always_on',
      status: 'clean',
      rules_count: 1,
      rules_limit: RULES_PER_TARGET,
      last_attack_at: null,
    },
  ],
  load: loadTenant,
  async handle({ resource: tenant, query, db, now }) {
    const page = pageFrom(query);
    return paginated(await listTargets(db, tenant.id, page, now), page, presentTarget);
  },
});
