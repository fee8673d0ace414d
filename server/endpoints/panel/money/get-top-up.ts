import { findTopUp } from '../../../db/queries/top-ups.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { notFound } from '../../../platform/errors.ts';
import { presentTopUp, TopUpParams, TopUpShape } from './top-up-shape.ts';

export const getTopUp = panelEndpoint({
  operation: 'getTopUp',
  method: 'GET',
  path: '/top-ups/{id}',
  access: 'viewer',
  tag: 'money',
  summary: 'Read a top-up',
  params: TopUpParams,
  data: TopUpShape,
  errors: ['not_found'],
  async handle({ caller, params, db }) {
    const topUp = await findTopUp(db, caller.accountId, params.id);
    if (!topUp) throw notFound();
    return { data: presentTopUp(topUp) };
  },
});
