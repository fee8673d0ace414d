import { type Database, sql, type Transaction } from '../../db/database.ts';
import { isBilled } from '../../db/queries/billed-vms.ts';
import { type MeteredVm, withMeter, withMeters } from '../../db/queries/meters.ts';
import { updateVm, type VmRow } from '../../db/queries/vms.ts';
import { openUsage } from '../../domain/billing/arrears.ts';
import { trafficUsed } from '../../domain/billing/dunning-events.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { recordSystemEvent } from '../../domain/vms/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';
import { inTransaction } from './renew-vms.ts';

/** What it needs of the service. */
interface NoticeServices {
  catalog: Catalog;
  clock: Clock;
  db: Database;
}

/** Shares of the included traffic at which the owner of a VM gets a notice, in percent. */
const NOTICES = [80, 100] as const;
/** VMs read at once. */
const BATCH = 500;

interface Due {
  /** How many of the notices of the period have had their time. */
  notices: number;
  used_bytes: bigint;
  included_bytes: bigint;
  price: string;
}

function dueOf(vm: MeteredVm, catalog: Catalog, now: Date): Due | null {
  const price = vm.meter?.readings.at(-1)?.traffic_price;
  const { used_bytes, included_bytes } = openUsage(vm, catalog, now).at(-1) ?? {};
  if (!price || used_bytes === undefined || !included_bytes) return null;
  const notices = NOTICES.filter((percent) => used_bytes * 100n >= included_bytes * BigInt(percent)).length;
  return notices > vm.traffic_notices ? { notices, used_bytes, included_bytes, price } : null;
}

/**
 * Tells the owners of VMs how much of the traffic that is included they have used, where more of it costs: at each
 * share once a period; where several are due at once, only of the last.
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
      const look = () => inTransaction(db, vm.id, (tx, locked) => giveNotice(services, tx, locked));
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
  const event = trafficUsed(vm, NOTICES[due.notices - 1]!, due, due.price);
  await recordSystemEvent(tx, clock, subject, 'warning', event);
}
