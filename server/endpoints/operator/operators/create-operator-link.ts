import { relinkOperator } from '../../../domain/people/operators.ts';
import { endpoint } from '../../../http/endpoint.ts';
import {
  OperatorInput,
  OperatorLinkShape,
  operatorAddress,
  presentLink,
  requirePages,
} from './operator-shape.ts';

export const createOperatorLink = endpoint({
  audience: 'operator',
  operation: 'createOperatorLink',
  method: 'POST',
  path: '/operators/sign-in-link',
  tag: 'service',
  summary: 'Let a locked-out operator start over',
  description:
    'Their password, second factors and sessions are removed at once; the link works once. Over the socket only.',
  body: OperatorInput,
  data: OperatorLinkShape,
  errors: ['not_found', 'invalid_state'],
  async handle({ body, services }) {
    const email = operatorAddress(body.email);
    requirePages(services);
    const link = await services.db.transaction((tx) => relinkOperator(tx, services, email));
    services.logger.info({ person_id: link.personId }, 'operator starts over');
    return { data: presentLink(services, link) };
  },
});
