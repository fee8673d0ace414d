import { listShieldRules as queryRules } from '../../../db/queries/shield/shield-rules.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { loadTarget, TargetParams } from './load-tenant.ts';
import { exampleShieldRule, presentShieldRule, ShieldRuleShape } from './rule-shape.ts';

export const listShieldRules = endpoint({
  audience: 'customer',
  operation: 'listShieldRules',
  method: 'GET',
  path: '/v1/tenants/{tid}/targets/{id}/rules',
  scope: 'shield:read',
  tag: 'shield',
  summary: 'List the blocking rules of a protected IP',
  description: [
    'Newest first. Rules are checked by `priority`, lowest first, and with the same priority the older one first; the first match',
    'decides, and a packet that matches no rule passes. Automatic rules have priority 900 and are removed 10 minutes after the',
    'attack ends.',
  ].join(' '),
  params: TargetParams,
  query: Type.Object(PageQuery),
  data: Type.Array(ShieldRuleShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [{ ...exampleShieldRule, status: 'active' }],
  load: loadTarget,
  async handle({ resource: target, query, db, now }) {
    const page = pageFrom(query);
    return paginated(await queryRules(db, target.id, page, now), page, presentShieldRule);
  },
});
