import { endpoint } from '../../../http/endpoint.ts';
import { Id, Input, Nullable, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { endReportedAttack as end } from '../../../shield/report.ts';
import { requireAddress } from './target-shape.ts';

export const endReportedAttack = endpoint({
  audience: 'operator',
  operation: 'endReportedAttack',
  method: 'POST',
  path: '/attacks/reports/end',
  tag: 'shield',
  summary: 'Report the end of a reported attack; its rules stay for a few minutes',
  body: Input({
    ip: Type.String({
      maxLength: 45,
      description: 'The address that was attacked',
      examples: ['203.0.113.9'],
    }),
  }),
  data: Shape(
    { attack_id: Nullable(Id('atk')) },
    { $id: 'EndedReport', description: 'The attack that has ended; null if none was reported' },
  ),
  errors: [],
  async handle({ body: { ip }, services }) {
    requireAddress(ip);
    return { data: { attack_id: await end(services, ip) } };
  },
});
