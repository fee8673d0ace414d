import { type Database, sql } from '../../server/db/database.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { isBilled } from '../../server/db/queries/money/billed-vms.ts';
import { meteredAccounts } from '../../server/db/queries/money/throttles.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import { throttlesOf } from '../../server/domain/billing/throttle.ts';
import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import { speedLimit } from '../../server/domain/catalog/lookup.ts';
import { throttleTraffic } from '../../server/jobs/timers/throttle-traffic.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Services } from '../../server/start/services.ts';

const ALL = { metered: true, after: '', limit: 1_000_000 };

/** Throttles or stops the VMs of some plans once their included traffic is used up. */
export function limitTraffic({ plans, custom }: Catalog): void {
  const ends = { s1: { at_included: 'stop' }, s4: { at_included: 'throttle', throttle_mbps: 10 } } as const;
  for (const plan of plans) Object.assign(plan, ends[plan.code as 's4']);
  custom.bandwidth_gb = { vcpu: 1_000, ram_gb: 500, disk_gb: 1 };
}

/** A round in which nothing fails. */
export async function throttleAll(services: Services): Promise<void> {
  await throttleTraffic(services, new Failures(services));
  await services.network.idle();
  await services.network.reconcile();
}

/** VMs whose throttle does not match their traffic and their owners' debts. */
export async function throttleProblems({ db, catalog, clock }: Services): Promise<string[]> {
  const problems: string[] = [];
  for (const account of await meteredAccounts(db, ALL))
    for (const { vm, throttle } of throttlesOf(account.vms, catalog, account, clock.now())) {
      const [is, should] = [
        `${vm.throttle_mbps} ${vm.throttle_cause}`,
        `${throttle?.mbps ?? null} ${throttle?.cause ?? null}`,
      ];
      if (is !== should) problems.push(`the throttle of ${vm.id} is ${is}, should be ${should}`);
    }
  return problems;
}

/** Guests whose speed in the engine differs from their VM's. */
export async function speedProblems(db: Database, { catalog }: Pick<Services, 'catalog'>): Promise<string[]> {
  const vms = await db.query<VmRow>(
    sql`select * from vms where ${isBilled} and network_generation = network_applied order by id`,
  );
  const guests = new SimulatorGuests(db);
  const problems: string[] = [];
  for (const vm of vms) {
    if (vm.throttle_mbps === null) continue;
    const held = (await guests.readGuest(vm.id))?.network?.bandwidthBps;
    const should = speedLimit(catalog, vm) ?? undefined;
    if (held !== should) problems.push(`the engine holds ${vm.id} to ${held} bit/s, should be ${should}`);
  }
  return problems;
}
