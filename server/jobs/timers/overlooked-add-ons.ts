import { sql } from '../../db/database.ts';
import { systemFindVm, updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { addOnRefund, addOnsOf } from '../../domain/billing/add-ons.ts';
import { charge } from '../../domain/billing/charge-line.ts';
import { settleNow } from '../../domain/billing/ledger.ts';
import { ledger } from '../../domain/billing/vm-orders.ts';
import { runningPeriod } from '../../domain/vms/configuration.ts';
import type { Failures } from '../../platform/failures.ts';
import type { RenewalServices } from './renew-vms.ts';

/** VMs per query; the next round takes the rest. */
const BATCH = 100;

/**
 * Refunds the add-ons of VMs that nodes of the last release have deleted or failed to delete: those nodes do not know of
 * add-ons. No such VMs appear once all nodes have been replaced.
 */
export async function refundOverlookedAddOns(services: RenewalServices, failures: Failures): Promise<void> {
  const { db, clock } = services;
  const vms = await db.query<{ id: string }>(sql`
    select id from vms where add_ons is not null
      and (status = 'deleting' or deletion_failed_at is not null or deleted_at is not null)
    order by id limit ${BATCH}`);
  for (const { id } of vms)
    await failures.attempt(
      'renew_vms',
      () =>
        db.transaction(async (tx) => {
          const vm = await systemFindVm(tx, id, true);
          if (!vm?.add_ons || !isGivenUp(vm)) return;
          const now = clock.now();
          // The VM counts as given up, its add-ons do not yet.
          const running = { ...runningPeriod(vm), isOver: false };
          const lines = addOnsOf(vm)
            .map((addOn) => addOnRefund(addOn, running, now, vm.currency))
            .filter(({ total_minor }) => total_minor !== 0n)
            .flatMap((refund) => refund.lines);
          await updateVm(tx, vm.id, { add_ons: null }, now);
          if (lines.length === 0) return;
          const refund = { accountId: vm.account_id, vmId: vm.id, charge: charge(lines), at: now };
          await settleNow(ledger(services, tx), { ...refund, kind: 'delete_refund' });
        }),
      id,
    );
}

const isGivenUp = ({
  status,
  deletion_failed_at,
  deleted_at,
}: Pick<VmRow, 'status' | 'deletion_failed_at' | 'deleted_at'>) =>
  status === 'deleting' || deletion_failed_at !== null || deleted_at !== null;
