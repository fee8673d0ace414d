import { addOperator as add } from '../../../domain/people/operators.ts';
import { endpoint } from '../../../http/endpoint.ts';
import {
  OperatorInput,
  OperatorLinkShape,
  operatorAddress,
  presentLink,
  requirePages,
} from './operator-shape.ts';

export const addOperator = endpoint({
  audience: 'operator',
  operation: 'addOperator',
  method: 'POST',
  path: '/operators',
  tag: 'service',
  summary: "Give an address access to the operator's pages",
  description:
    'Returns a link that works once, with which they choose a second factor. Over the socket only.',
  body: OperatorInput,
  data: OperatorLinkShape,
  errors: ['invalid_state'],
  async handle({ body, services }) {
    const email = operatorAddress(body.email);
    requirePages(services);
    const link = await services.db.transaction((tx) => add(tx, services, email));
    services.logger.info({ person_id: link.personId }, 'operator added');
    return { data: presentLink(services, link) };
  },
});
