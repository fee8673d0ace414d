import { findShieldRule, deleteShieldRule as removeRule } from '../../../db/queries/shield/shield-rules.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Deleted, PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { beginRuleChange } from '../../../shield/target.ts';
import { loadTargetForChange, TargetParams } from './load-tenant.ts';
import { exampleShieldRule } from './rule-shape.ts';

export const deleteShieldRule = endpoint({
  audience: 'customer',
  operation: 'deleteShieldRule',
  method: 'DELETE',
  path: '/v1/tenants/{tid}/targets/{id}/rules/{rid}',
  scope: 'shield:write',
  tag: 'shield',
  summary: 'Delete a blocking rule',
  description:
    'The edge removes it within moments. An automatic rule may be created again while its attack continues.',
  params: Type.Object({
    ...TargetParams.properties,
    rid: PathId('rul', 'Blocking rule identifier'),
  }),
  data: Deleted,
  errors: [],
  example: { id: exampleShieldRule.id, deleted: true },
  async load(request) {
    const target = await loadTargetForChange(request);
    const { db, params, services } = request;
    const rule = await findShieldRule(db, target.id, params.rid, services.clock.now());
    if (!rule) throw notFound();
    return { target, rule };
  },
  async handle(context) {
    const { target, rule } = context.resource;
    await removeRule(context.db, rule.id);
    await beginRuleChange(context, target.id);
    return { data: { id: rule.id, deleted: true } };
  },
});
