import type { Database } from '../../../db/database.ts';
import type { AuditReport } from '../../../domain/billing/audit/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Shape, Timestamp } from '../../../http/schemas.ts';
import { auditBooks as audit } from '../../../jobs/timers/audit-books.ts';
import { Type } from '../../../platform/schema.ts';

const AuditReportShape = Shape(
  {
    started_at: Timestamp(),
    finished_at: Timestamp(),
    accounts: Count('Number of accounts checked'),
    laws: Count('Number of rules checked'),
    findings: Type.Array(
      Shape({
        law: Type.String(),
        what: Type.String({ description: 'The row and the problem' }),
      }),
    ),
    truncated: Type.Boolean({ description: 'True if there are more findings than listed' }),
  },
  { $id: 'AuditReport', description: 'Result of an audit of the books' },
);

/** The audit in progress for each database. */
const running = new WeakMap<Database, Promise<AuditReport>>();

export const auditBooks = endpoint({
  audience: 'operator',
  operation: 'auditBooks',
  method: 'POST',
  path: '/audit',
  tag: 'money',
  summary: 'Check the books against the rules of the ledger',
  description: 'If an audit is already running, returns its report.',
  data: AuditReportShape,
  errors: [],
  async handle({ services }) {
    const { db } = services;
    const report = running.get(db) ?? audit(services).finally(() => running.delete(db));
    running.set(db, report);
    return { data: await report };
  },
});
