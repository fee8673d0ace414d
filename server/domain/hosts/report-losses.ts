import type { Transaction } from '../../db/database.ts';
import { insertLosses, vmsOfLostHosts } from '../../db/queries/hosts/lost-host-outages.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';

const REASON = 'The host of the VM could not be reached.';

/**
 * Reports an outage of each VM of these hosts, which were lost and have been reached again, or of one VM that its
 * engine has started on another host. The service credits these outages later. Does nothing unless the catalog asks for
 * it. Must be called before it is recorded that the hosts are back, or where the VM is.
 */
export async function reportLosses(
  tx: Transaction,
  { catalog, clock }: { catalog: Catalog; clock: Clock },
  which: { hostIds: readonly string[] } | { vmId: string },
  until: Date,
): Promise<void> {
  if (!catalog.sla?.lost_hosts) return;
  const vms = await vmsOfLostHosts(tx, which, until);
  const losses = vms.map((vm) => ({ ...vm, outageId: newId('out', clock) }));
  await insertLosses(tx, losses, { until, reason: REASON });
}
