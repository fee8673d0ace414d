import { DEVICE_DAYS } from '../../access/realms.ts';
import { SharedLimitStore } from '../../access/shared-limits.ts';
import { sql, type Transaction } from '../../db/database.ts';
import { deleteAttemptsBefore } from '../../db/queries/access/attempts.ts';
import { deleteAuditBefore } from '../../db/queries/access/audit-entries.ts';
import { deleteKnownDevicesBefore } from '../../db/queries/access/known-devices.ts';
import { deleteTokensBefore } from '../../db/queries/access/mail-tokens.ts';
import { deleteChallengesBefore } from '../../db/queries/access/passkeys.ts';
import { deleteSessionsBefore } from '../../db/queries/access/sessions.ts';
import type { IssuedDocument } from '../../db/queries/money/issue-invoices.ts';
import { recognizeRevenue } from '../../db/queries/money/recognition.ts';
import { deleteEventsBefore } from '../../db/queries/service/events.ts';
import { deleteFinishedJobs, type JobPlace } from '../../db/queries/service/jobs.ts';
import { deleteSome } from '../../db/queries/service/purge.ts';
import { deleteAttacksBefore } from '../../db/queries/shield/shield-attacks.ts';
import { deleteAgentRunsBefore } from '../../db/queries/vms/agent-runs.ts';
import { deleteExpiredViewerSlots, deleteSharesBefore } from '../../db/queries/vms/console-shares.ts';
import { deleteTicketsBefore } from '../../db/queries/vms/console-tickets.ts';
import { type DocumentCheck, sellerParty } from '../../domain/billing/invoice-document.ts';
import { issueDocuments } from '../../domain/billing/issue-documents.ts';
import { Failures } from '../../platform/failures.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { noticeExpiringCredits } from './credit-notices.ts';
import { mailDocument } from './mail-document.ts';
import { endOverdueOrders } from './overdue-orders.ts';
import { type RenewalServices, sweepFailedCreations } from './renew-vms.ts';
import { SeriesWatch } from './watch-series.ts';

const DAY_MS = 86_400_000;
/** Replies are kept for replay, and finished jobs, for as long as the API promises. */
export const IDEMPOTENT_REPLY_DAYS = 7;
const JOB_DAYS = 30;
/** A finished run only explains its events. */
const AGENT_RUN_DAYS = 30;
/** A year of history answers every question about a bill or an attack. */
const EVENT_DAYS = 365;
/** Long enough to investigate the abuse of a link; the event log remembers for longer that the link existed. */
const SHARE_DAYS = 7;
/** Long enough to answer whether a mail was sent. The operator looks into mails that were given up. */
const MAIL_DAYS = 30;
const FAILED_MAIL_DAYS = 90;
/** Questions about who granted access to whom come later than those about a VM's past. */
const AUDIT_DAYS = 730;
/** Long enough to tell someone who asks why a link does not work. */
const LINK_DAYS = 7;
/** Finished jobs considered per round. The last job of each VM is kept, so there may be any number of old ones. */
const JOBS_A_ROUND = 1_000;

export interface PurgeServices extends RenewalServices {
  config: { dataDir: string };
  documents: DocumentCheck;
}

/**
 * Issues the invoices of months that are over, recognises the revenue of days that are over, and deletes data whose
 * retention time is over.
 */
export class ExpiredPurge {
  readonly #services: PurgeServices;
  readonly #failures: Failures;
  readonly #series: SeriesWatch;
  /** Position in the walk over old jobs; each round covers a stretch and starts over at the end. */
  #jobs: JobPlace | undefined;
  /** Until then, no further day is over whose revenue could be recognised. */
  #recognized = new Date(0);

  constructor(services: PurgeServices, failures = new Failures(services)) {
    this.#services = services;
    this.#failures = failures;
    this.#series = new SeriesWatch(services);
  }

  /** Runs one round. A chore that fails does not hold up the others. */
  async run(): Promise<void> {
    for (const [name, work] of Object.entries(this.#chores())) await this.#failures.attempt(name, work);
  }

  #chores(): Record<string, () => Promise<unknown>> {
    const { db, clock, catalog } = this.#services;
    const seller = catalog.seller ? sellerParty(catalog.seller) : null;
    const footer = catalog.seller?.footer ?? null;
    const now = clock.now();
    const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
    const replies = {
      table: sql`idempotency_keys`,
      where: sql`created_at < ${daysAgo(IDEMPOTENT_REPLY_DAYS)}`,
      order: sql`created_at`,
    };
    const mails = {
      table: sql`mails`,
      where: sql`settled_at < ${daysAgo(MAIL_DAYS)} and (status = 'sent' or settled_at < ${daysAgo(FAILED_MAIL_DAYS)})`,
      order: sql`settled_at`,
    };
    return {
      end_overdue_orders: () => endOverdueOrders(this.#services, this.#failures),
      issue_invoices: async () => {
        await this.#series.check();
        const onIssued = (tx: Transaction, issued: IssuedDocument) =>
          mailDocument(tx, this.#services, issued);
        await inBatches((limit) =>
          issueDocuments({ ...this.#services, onIssued }, now, limit, seller, footer),
        );
        await this.#series.note();
      },
      notice_expiring_credits: () => inBatches((limit) => noticeExpiringCredits(this.#services, limit)),
      recognize_revenue: async () => {
        if (now < this.#recognized) return;
        this.#recognized = new Date((await recognizeRevenue(db, now)).getTime() + DAY_MS);
      },
      sweep_failed_creations: () => sweepFailedCreations(this.#services, this.#failures),
      sweep_replies: () => inBatches((limit) => deleteSome(db, replies, limit)),
      sweep_jobs: async () => {
        this.#jobs = await deleteFinishedJobs(db, daysAgo(JOB_DAYS), this.#jobs, JOBS_A_ROUND);
      },
      sweep_agent_runs: () => inBatches((limit) => deleteAgentRunsBefore(db, daysAgo(AGENT_RUN_DAYS), limit)),
      sweep_events: () => inBatches((limit) => deleteEventsBefore(db, daysAgo(EVENT_DAYS), limit)),
      sweep_tickets: () => inBatches((limit) => deleteTicketsBefore(db, now, limit)),
      sweep_seats: () => inBatches((limit) => deleteExpiredViewerSlots(db, now, limit)),
      sweep_shares: () => inBatches((limit) => deleteSharesBefore(db, daysAgo(SHARE_DAYS), limit)),
      sweep_sessions: () => inBatches((limit) => deleteSessionsBefore(db, now, limit)),
      sweep_devices: () => inBatches((limit) => deleteKnownDevicesBefore(db, daysAgo(DEVICE_DAYS), limit)),
      sweep_links: () => inBatches((limit) => deleteTokensBefore(db, daysAgo(LINK_DAYS), limit)),
      sweep_audit: () => inBatches((limit) => deleteAuditBefore(db, daysAgo(AUDIT_DAYS), limit)),
      sweep_challenges: () => inBatches((limit) => deleteChallengesBefore(db, now, limit)),
      sweep_attempts: () => inBatches((limit) => deleteAttemptsBefore(db, now, limit)),
      sweep_attacks: () => inBatches((limit) => deleteAttacksBefore(db, daysAgo(EVENT_DAYS), limit)),
      sweep_mails: () => inBatches((limit) => deleteSome(db, mails, limit)),
      sweep_rate_windows: () => inBatches((limit) => SharedLimitStore.sweep(db, now, limit)),
    };
  }
}

/** Runs one round of {@link ExpiredPurge}, for callers that run few. */
export function purgeExpired(services: PurgeServices): Promise<void> {
  return new ExpiredPurge(services).run();
}
