import { removeOperator as remove } from '../../../domain/people/operators.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { OperatorInput, operatorAddress } from './operator-shape.ts';

export const removeOperator = endpoint({
  audience: 'operator',
  operation: 'removeOperator',
  method: 'POST',
  path: '/operators/remove',
  tag: 'service',
  summary: 'End the access of an operator',
  description: 'Ends their sessions at once. Over the socket only.',
  body: OperatorInput,
  data: Shape({ id: Id('prs'), removed: Type.Literal(true) }),
  errors: ['not_found'],
  async handle({ body, services }) {
    const email = operatorAddress(body.email);
    const { id } = await services.db.transaction((tx) => remove(tx, services, email));
    services.logger.info({ person_id: id }, 'operator removed');
    return { data: { id, removed: true } };
  },
});
