import type { Leadership } from '../../cluster/leadership.ts';
import type { Database } from '../../db/database.ts';
import { findLastAudit, noteAudit } from '../../db/queries/money/audits.ts';
import { type AuditReport, audit } from '../../domain/billing/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';

interface AuditServices {
  db: Database;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

const DAY_MS = 86_400_000;
/** Findings logged one by one; `vaubanctl audit` lists all of them. */
const MAX_LOGGED = 100;

/** Audits the books and reports the findings in the log, in the metrics and to the other nodes. */
export async function auditBooks({ db, clock, logger, metrics }: AuditServices): Promise<AuditReport> {
  const report = await audit(db, clock);
  const { started_at, findings, truncated } = report;
  for (const { law, what } of findings.slice(0, MAX_LOGGED)) logger.error({ law, what }, 'audit finding');
  if (findings.length > 0)
    logger.error({ findings: findings.length, truncated }, 'the books contradict themselves');
  await noteAudit(db, { at: started_at.toISOString(), findings: findings.length });
  metrics.audited(started_at, findings.length);
  return report;
}

/**
 * Audits the books, on the node that leads, if the last audit by any node is a day old. Otherwise the node exports the
 * result of the last audit as its metrics.
 */
export async function auditDaily(services: AuditServices & { leadership: Leadership }): Promise<void> {
  const { db, clock, leadership, metrics } = services;
  const last = await findLastAudit(db);
  const due = !last || clock.now().getTime() - Date.parse(last.at) >= DAY_MS;
  if (due && (await leadership.holds())) await auditBooks(services);
  else if (last) metrics.audited(new Date(last.at), last.findings);
}
