import { listOperators as read } from '../../../db/queries/access/operators.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { OperatorShape, presentOperator } from './operator-shape.ts';

export const listOperators = endpoint({
  audience: 'operator',
  operation: 'listOperators',
  method: 'GET',
  path: '/operators',
  tag: 'service',
  summary: 'List the operators',
  data: Type.Array(OperatorShape),
  errors: [],
  handle: async ({ services: { db } }) => ({ data: (await read(db)).map(presentOperator) }),
});
