import type { Database, Transaction } from '../../db/database.ts';
import { meteredAccounts } from '../../db/queries/money/throttles.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { type Throttle, throttlesOf, type Wanted } from '../../domain/billing/throttle.ts';
import { throttled } from '../../domain/billing/throttle-events.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { trafficEnd } from '../../domain/catalog/traffic-end.ts';
import { beginNetworkChange } from '../../domain/network/network-change.ts';
import type { MailParts } from '../../mail/outbox.ts';
import type { Failures } from '../../platform/failures.ts';
import { warnOwners } from '../tell-owners.ts';
import { withLockedVm } from '../with-locked-vm.ts';

interface ThrottleServices extends MailParts {
  catalog: Catalog;
  db: Database;
  network: { kick(vmId: string): void };
}

/** Accounts per query. */
const BATCH = 100;

/**
 * Records the throttles that VMs should have. A throttle is part of a VM's wanted network, so the reconciler applies it
 * wherever the guest is, and lifts it the same way once its cause is gone.
 */
export async function throttleTraffic(services: ThrottleServices, failures: Failures): Promise<void> {
  const { db, catalog, clock } = services;
  const metered = hasBounds(catalog);
  let after = '';
  for (;;) {
    const accounts = await meteredAccounts(db, { metered, after, limit: BATCH });
    for (const account of accounts) {
      for (const wanted of throttlesOf(account.vms, catalog, account, clock.now())) {
        if (isInForce(wanted.vm, wanted.throttle)) continue;
        const write = () =>
          withLockedVm(db, wanted.vm.id, (tx, now) => setThrottle(services, tx, wanted, now));
        await failures.attempt('throttle_traffic', write, wanted.vm.id);
      }
    }
    if (accounts.length < BATCH) return;
    after = accounts.at(-1)!.account_id;
  }
}

/** Returns whether the catalog limits the traffic of anything it sells, or how much an account may use without paying. */
function hasBounds(catalog: Catalog): boolean {
  const sold = [null, ...catalog.plans.map(({ code }) => code)];
  return (
    catalog.usage?.max_unpaid_minor !== undefined ||
    sold.some((plan) => trafficEnd(catalog, plan).action !== 'bill')
  );
}

function isInForce(
  { throttle_mbps, throttle_cause }: Pick<VmRow, 'throttle_mbps' | 'throttle_cause'>,
  throttle: Throttle | null,
): boolean {
  return throttle_mbps === (throttle?.mbps ?? null) && throttle_cause === (throttle?.cause ?? null);
}

async function setThrottle(
  services: ThrottleServices,
  tx: Transaction,
  { vm: read, throttle }: Wanted<VmRow>,
  vm: VmRow,
): Promise<void> {
  // A VM that was renewed or changed in between is judged in the next round.
  if (vm.status === 'deleting' || vm.updated_at.getTime() !== read.updated_at.getTime()) return;
  const now = services.clock.now();
  const period = vm.billing_period_start_at;
  const notice = throttle?.cause === 'unpaid_usage' ? 'unpaid_notice_for' : 'included_notice_for';
  const isTold = vm[notice]?.getTime() === period.getTime();
  await updateVm(
    tx,
    vm.id,
    {
      throttle_mbps: throttle?.mbps ?? null,
      throttle_cause: throttle?.cause ?? null,
      ...(throttle && { [notice]: period }),
    },
    now,
  );
  await beginNetworkChange({ db: tx, services, now }, vm.id);
  if (throttle && !isTold)
    await warnOwners(tx, services, { account_id: vm.account_id, vm_id: vm.id }, throttled(vm, throttle));
}
