import { sql } from '../../db/database.ts';
import { systemFindVm } from '../../db/queries/vms/vms.ts';
import { sellOverlookedDeposit } from '../../domain/billing/settle-deposit.ts';
import { hasDeposit } from '../../domain/vms/configuration.ts';
import type { Failures } from '../../platform/failures.ts';
import type { RenewalServices } from './renew-vms.ts';

/** VMs per query; the next round takes the rest. */
const BATCH = 100;

/**
 * Sells deposits that nodes of the last release have overlooked: those nodes know only periods that are sold in
 * advance, and have renewed, changed or deleted the VM as if its period had been sold that way. No such deposits appear
 * once all nodes have been replaced.
 */
export async function sellOverlookedDeposits(services: RenewalServices, failures: Failures): Promise<void> {
  const { db, clock } = services;
  const vms = await db.query<{ id: string }>(sql`
    select id from vms where deposit_minor is not null and provisioned_at is not null
      and (deposit_since is distinct from metered_since or status = 'deleting' or deleted_at is not null)
    order by billing_period_end_at, id limit ${BATCH}`);
  for (const { id } of vms)
    await failures.attempt(
      'renew_vms',
      () =>
        db.transaction(async (tx) => {
          const vm = await systemFindVm(tx, id, true);
          if (!vm?.provisioned_at || vm.deposit_minor === null) return;
          const isGone = vm.status === 'deleting' || vm.deleted_at !== null;
          if (hasDeposit(vm) && !isGone) return;
          await sellOverlookedDeposit(services, tx, vm, clock.now());
        }),
      id,
    );
}
