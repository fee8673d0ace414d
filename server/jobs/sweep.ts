import { sql } from '../db/database.ts';
import { deleteAgentRunsBefore } from '../db/queries/agent-runs.ts';
import { deleteEmptySeats, deleteSharesBefore } from '../db/queries/console-shares.ts';
import { deleteTicketsBefore } from '../db/queries/console-tickets.ts';
import { deleteEventsBefore } from '../db/queries/events.ts';
import { issueInvoices } from '../db/queries/invoices.ts';
import { deleteFinishedJobs } from '../db/queries/jobs.ts';
import { deleteAttacksBefore } from '../db/queries/shield-attacks.ts';
import { KEPT_DAYS as IDEMPOTENT_REPLY_DAYS } from '../http/idempotency.ts';
import { SharedLimitStore } from '../platform/rate-limits.ts';
import type { Services } from '../services.ts';
import { sweepFailedCreations } from './renew-vms.ts';

const DAY_MS = 86_400_000;
/** As the API promises. */
const JOB_DAYS = 30;
/** A finished run only explains its events. */
const AGENT_RUN_DAYS = 30;
/** A year of history answers every question about a bill, or about an attack. */
const EVENT_DAYS = 365;
/** Long enough to look into a link that was abused; the event log knows longer that it was. */
const SHARE_DAYS = 7;

/** Issues the invoices of months that are over, and lets go of what is kept for a time only. */
export async function sweep(services: Services): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await issueInvoices(db, now);
  await sweepFailedCreations(services);
  await db.query(sql`delete from idempotency_keys where created_at < ${daysAgo(IDEMPOTENT_REPLY_DAYS)}`);
  await deleteFinishedJobs(db, daysAgo(JOB_DAYS));
  await deleteAgentRunsBefore(db, daysAgo(AGENT_RUN_DAYS));
  await deleteEventsBefore(db, daysAgo(EVENT_DAYS));
  await deleteTicketsBefore(db, now);
  await deleteEmptySeats(db, now);
  await deleteSharesBefore(db, daysAgo(SHARE_DAYS));
  await deleteAttacksBefore(db, daysAgo(EVENT_DAYS));
  await SharedLimitStore.sweep(db, now);
}
