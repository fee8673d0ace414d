import { type Database, sql, type Transaction } from '../../db/database.ts';
import { isBilled } from '../../db/queries/money/billed-vms.ts';
import { type MeteredVm, withMeter, withMeters } from '../../db/queries/money/meters.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { openUsage } from '../../domain/billing/arrears.ts';
import { trafficUsed } from '../../domain/billing/dunning-events.ts';
import { trafficNearlyUsed } from '../../domain/billing/throttle-events.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { trafficEnd } from '../../domain/catalog/traffic-end.ts';
import { recordSystemEvent } from '../../domain/vms/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';
import { withLockedVm } from '../with-locked-vm.ts';

interface NoticeServices {
  catalog: Catalog;
  clock: Clock;
  db: Database;
}

/** Percentages of the included traffic at which the owner of a VM gets a notice. */
const NOTICES = [80, 100] as const;
/** VMs per query. */
const BATCH = 500;

interface Due {
  /** The number of the period's notices that are due. */
  notices: number;
  used_bytes: bigint;
  included_bytes: bigint;
  /** The price of each GB beyond the included traffic, or the VM's speed from then on, in Mbit/s. */
  end: { price: string } | { mbps: number };
}

function dueOf(vm: MeteredVm, catalog: Catalog, now: Date): Due | null {
  const price = vm.meter?.readings.at(-1)?.traffic_price;
  const usage = openUsage(vm, catalog, now).at(-1);
  if (!usage) return null;
  const { mbps } = trafficEnd(catalog, vm.plan);
  if (!price) return usage.unbilled && mbps !== null ? noticeDue(vm, usage.unbilled, { mbps }) : null;
  const { used_bytes, included_bytes } = usage;
  return included_bytes ? noticeDue(vm, { used_bytes, included_bytes }, { price }) : null;
}

function noticeDue(
  vm: Pick<VmRow, 'traffic_notices'>,
  used: Pick<Due, 'used_bytes' | 'included_bytes'>,
  end: Due['end'],
): Due | null {
  const reached = NOTICES.filter(
    (percent) => used.used_bytes * 100n >= used.included_bytes * BigInt(percent),
  );
  // The throttle at 100 % has its own notice.
  if ('mbps' in end && reached.length === NOTICES.length) return null;
  return reached.length > vm.traffic_notices ? { ...used, notices: reached.length, end } : null;
}

/**
 * Notifies the owners of VMs how much of the included traffic they have used, if traffic beyond it costs money or is
 * throttled: at each percentage once per period. If several are due at once, only the last is given.
 */
export async function giveTrafficNotices(services: NoticeServices, failures: Failures): Promise<void> {
  const { db, clock, catalog } = services;
  const now = clock.now();
  let after = '';
  for (;;) {
    const vms = await db.query<VmRow>(sql`
      select * from vms where ${isBilled} and usage_priced and bandwidth_gb is not null
        and traffic_notices < ${NOTICES.length} and billing_period_end_at > ${now} and id > ${after}
      order by id limit ${BATCH}`);
    for (const vm of await withMeters(db, vms)) {
      if (!dueOf(vm, catalog, now)) continue;
      const look = () => withLockedVm(db, vm.id, (tx, locked) => giveNotice(services, tx, locked));
      await failures.attempt('traffic_notices', look, vm.id);
    }
    if (vms.length < BATCH) return;
    after = vms.at(-1)!.id;
  }
}

async function giveNotice({ catalog, clock }: NoticeServices, tx: Transaction, row: VmRow): Promise<void> {
  const now = clock.now();
  if (row.billing_period_end_at <= now || row.status === 'deleting') return;
  const vm = await withMeter(tx, row);
  const due = dueOf(vm, catalog, now);
  if (!due) return;
  await updateVm(tx, vm.id, { traffic_notices: due.notices }, now);
  const subject = { account_id: vm.account_id, vm_id: vm.id };
  const percent = NOTICES[due.notices - 1]!;
  const event =
    'price' in due.end
      ? trafficUsed(vm, percent, due, due.end.price)
      : trafficNearlyUsed(vm, percent, due, due.end.mbps);
  await recordSystemEvent(tx, clock, subject, 'warning', event);
}
