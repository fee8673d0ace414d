import type { ThrottleCause } from '../../db/enums.ts';
import type { MeteredVm } from '../../db/queries/money/meters.ts';
import type { WalletRow } from '../../db/queries/money/wallets.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { trafficEnd } from '../catalog/traffic-end.ts';
import { openUsage } from './arrears.ts';
import { isLimited, usageMinor, usageOf } from './usage.ts';
import { runningStretch } from './usage-stretches.ts';

/** The maximum rate at which a VM may send and receive, in Mbit/s, and the reason; 0 stops its traffic. */
export interface Throttle {
  mbps: number;
  cause: ThrottleCause;
}

/** A VM, with the throttle that it should have now. */
export interface Wanted<V extends MeteredVm> {
  vm: V;
  throttle: Throttle | null;
}

/** Used if the catalog has no rate. */
const SLOWEST_MBPS = 1;

/** The money in an account's wallet, and its debts for reversed payments and deleted VMs. */
export type Money = Pick<WalletRow, 'available_minor' | 'claimed_minor'>;

/** Returns the throttles that the VMs of one account should have. */
export function throttlesOf<V extends MeteredVm>(
  vms: V[],
  catalog: Catalog,
  money: Money,
  now: Date,
): Wanted<V>[] {
  const unpaid = unpaidThrottles(vms, catalog, money, now);
  return vms.map((vm) => {
    const both = [includedThrottle(vm, catalog, now), unpaid.get(vm.id)].filter((one) => one != null);
    return { vm, throttle: both.sort((a, b) => a.mbps - b.mbps)[0] ?? null };
  });
}

/**
 * The throttle of a VM that has sent its included traffic. If the period is over and the next one is not paid yet, the
 * VM only has the traffic that is left of the old period.
 */
function includedThrottle(vm: MeteredVm, catalog: Catalog, now: Date): Throttle | null {
  const { mbps } = trafficEnd(catalog, vm.plan);
  if (mbps === null || !vm.usage_priced || !isLimited(catalog, vm)) return null;
  const terms = { currency: vm.currency, taxRate: vm.tax_rate };
  const unbilled = usageOf(vm, runningStretch(vm), now, '', terms)[0]?.unbilled;
  if (!unbilled || unbilled.used_bytes < unbilled.included_bytes) return null;
  return { mbps, cause: 'included_traffic' };
}

/**
 * The throttles of VMs whose traffic is charged later, if all open usage exceeds the money plus the allowed unpaid
 * amount. Debts of deleted VMs count too: otherwise each deletion would free up that amount again.
 */
function unpaidThrottles(
  vms: MeteredVm[],
  catalog: Catalog,
  { available_minor, claimed_minor }: Money,
  now: Date,
): Map<string, Throttle> {
  const bound = catalog.usage?.max_unpaid_minor;
  if (bound === undefined) return new Map();
  const open = vms.map((vm) => ({ vm, usage: openUsage(vm, catalog, now) }));
  const total = open.reduce((sum, { usage }) => sum + usageMinor(usage), claimed_minor);
  if (total <= available_minor + BigInt(bound)) return new Map();
  const throttle = { mbps: catalog.usage?.throttle_mbps ?? SLOWEST_MBPS, cause: 'unpaid_usage' } as const;
  const causing = open.filter(({ usage }) => usage.some(({ traffic_minor }) => traffic_minor > 0n));
  return new Map(causing.map(({ vm }) => [vm.id, throttle]));
}
