import type { Database } from '../../db/database.ts';
import { jobsOfOrdersBefore, moneyAlarms } from '../../db/queries/money/money-alarms.ts';
import { systemFindJob } from '../../db/queries/service/stuck-jobs.ts';
import type { Signals } from '../../db/signals.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { abandon } from '../end-job.ts';
import { withLockedVm } from '../with-locked-vm.ts';

export interface OrderServices {
  clock: Clock;
  db: Database;
  logger: Logger;
  metrics: Metrics;
  secrets: SecretBox;
  signals: Signals;
  catalog: Catalog;
}

const HOUR_MS = 3_600_000;
/** No order stays pending longer: its job ends long before this, unless something is broken. */
export const LONGEST_PENDING_HOURS = 12;
/** Jobs per round. */
const BATCH = 100;
const ERROR = { code: 'timed_out', message: 'It took too long.' } as const;

/** Gives up the jobs of orders that have been pending too long, which releases their holds. */
export async function endOverdueOrders(services: OrderServices, failures: Failures): Promise<void> {
  const { db, clock, metrics, logger, signals } = services;
  const before = new Date(clock.now().getTime() - LONGEST_PENDING_HOURS * HOUR_MS);
  for (const { id, vm_id } of await jobsOfOrdersBefore(db, before, BATCH)) {
    const end = () =>
      withLockedVm(db, vm_id, async (tx, vm) => {
        const job = await systemFindJob(tx, id);
        const why = `it had not finished after ${LONGEST_PENDING_HOURS} hours`;
        if (!job || !(await abandon(tx, services, { job, vm, error: ERROR, why }))) return;
        // A node that is working on the job leaves the guest alone and then releases the job.
        await signals.jobCanceled(tx, id);
        tx.afterCommit(() => {
          metrics.jobFinished(job.kind, 'abandoned');
          logger.error(
            { job_id: id, vm_id, kind: job.kind, order_id: job.order_id },
            'order pending for too long',
          );
        });
      });
    await failures.attempt('end_overdue_orders', end, id);
  }
}

/** Exports problems with money as metrics. */
export async function watchMoney({
  db,
  clock,
  metrics,
}: Pick<OrderServices, 'clock' | 'db' | 'metrics'>): Promise<void> {
  const { dunning_failing, oldest_pending_at, claims, unbooked, series_asked, held_documents } =
    await moneyAlarms(db);
  const seconds = oldest_pending_at ? (clock.now().getTime() - oldest_pending_at.getTime()) / 1000 : 0;
  metrics.moneyAlarms({
    dunningFailing: dunning_failing,
    oldestPendingSeconds: Math.max(0, seconds),
    claims,
    unbooked,
    seriesAsked: series_asked,
    heldDocuments: held_documents,
  });
}
