import type { CatalogFault } from './catalog-rules.ts';
import type { Catalog } from './catalog-schema.ts';
import type { TrafficAction } from './traffic-schema.ts';

/**
 * The consequence of using up the included traffic; `mbps` is null if the VM is not slowed down, and 0 if its traffic
 * stops.
 */
export interface TrafficEnd {
  action: TrafficAction;
  mbps: number | null;
}

/** Returns the consequence of using up the included traffic for a VM of a plan, or of a custom size (null). */
export function trafficEnd(
  catalog: Pick<Catalog, 'plans' | 'custom' | 'usage'>,
  plan: string | null,
): TrafficEnd {
  const sold = plan === null ? catalog.custom : catalog.plans.find(({ code }) => code === plan);
  const action = sold?.at_included ?? catalog.usage?.at_included ?? 'bill';
  if (action === 'bill') return { action, mbps: null };
  if (action === 'stop') return { action, mbps: 0 };
  return { action, mbps: (sold?.throttle_mbps ?? catalog.usage?.throttle_mbps)! };
}

/** Returns the monthly traffic that a custom size includes, in GB; null means unmetered. */
export function customVolume(
  { bandwidth_gb: of }: Catalog['custom'],
  { vcpu, ram_mb, disk_gb }: { vcpu: number; ram_mb: number; disk_gb: number },
): number | null {
  if (!of) return null;
  // Every size includes at least 1 GB, the minimum that a VM can state.
  return Math.max(1, Math.ceil(vcpu * of.vcpu + (ram_mb * of.ram_gb) / 1024 + disk_gb * of.disk_gb));
}

/** The range of an integer column in the database. */
const MAX_VOLUME_GB = 2 ** 31 - 1;

/** A throttle needs a rate, and traffic that is not billed has no price. */
export function* trafficFaults(catalog: Catalog): Generator<CatalogFault> {
  const { plans, custom, usage } = catalog;
  const largest = { vcpu: custom.vcpu.max, ram_mb: custom.ram_mb.max, disk_gb: custom.disk_gb.max };
  if ((customVolume(custom, largest) ?? 0) > MAX_VOLUME_GB)
    yield {
      path: ['custom', 'bandwidth_gb'],
      reason: `the largest custom configuration would include more than ${MAX_VOLUME_GB} GB`,
    };
  const usageAction = usage?.at_included;
  if (usageAction === 'throttle' && usage?.throttle_mbps === undefined)
    yield { path: ['usage', 'at_included'], reason: 'throttle requires throttle_mbps' };
  const places: [CatalogFault['path'], (typeof plans)[number] | typeof custom, string | null][] = [
    ...plans.map((plan, index): (typeof places)[number] => [['plans', index], plan, plan.code]),
    [['custom'], custom, null],
  ];
  for (const [path, sold, plan] of places) {
    const { action, mbps } = trafficEnd(catalog, plan);
    if (sold.at_included === 'throttle' && mbps === undefined)
      yield { path: [...path, 'at_included'], reason: 'throttle requires throttle_mbps' };
    if (sold.at_included !== undefined && action !== 'bill' && sold.traffic_per_gb !== undefined)
      yield { path: [...path, 'traffic_per_gb'], reason: `has no effect with at_included: ${action}` };
  }
}
