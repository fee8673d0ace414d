import type { FastifyInstance } from 'fastify';
import { listOperatorLog } from '../../db/queries/operator-log.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Input, PageQuery } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';

/** What operators did: read only, by the API as by the store. */
export function registerLogOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'GET',
    path: '/log',
    query: Input(PageQuery),
    async handle({ query, services: { db } }) {
      const page = pageFrom(query);
      return paginated(await listOperatorLog(db, page), page, (row) => row);
    },
  });
}
