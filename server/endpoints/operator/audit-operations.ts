import type { FastifyInstance } from 'fastify';
import type { AuditReport } from '../../domain/billing/audit/audit.ts';
import { auditBooks } from '../../jobs/timers/audit-books.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';

/** The laws of the books, at the operator's request. Who asks while an audit runs gets the report of that one. */
export function registerAuditOperations(app: FastifyInstance, services: OperatorServices): void {
  let running: Promise<AuditReport> | undefined;
  register(app, services, {
    method: 'POST',
    path: '/audit',
    async handle({ services }) {
      running ??= auditBooks(services).finally(() => {
        running = undefined;
      });
      return { data: await running };
    },
  });
}
