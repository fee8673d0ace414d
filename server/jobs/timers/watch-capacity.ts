import { readSupply } from '../../cluster/read-supply.ts';
import type { ComputeDriver } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import type { Supply } from '../../domain/hosts/supply.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** One thing that guests share, as the operator sees it. */
export interface Amount {
  resource: 'vcpu' | 'dedicated_cores' | 'ram_mb' | 'disk_gb';
  /** Infinity where there is no limit. */
  total: number;
  reserved: number;
}

/** What all hosts have, and what of it is reserved, QEMU's own part of each guest included. */
export function amountsOf({ total, reserved }: Supply): Amount[] {
  return [
    { resource: 'vcpu', total: total.vcpu, reserved: reserved.vcpu },
    { resource: 'dedicated_cores', total: total.cores, reserved: reserved.cores },
    { resource: 'ram_mb', total: total.ramMb, reserved: reserved.ramMb },
    { resource: 'disk_gb', total: total.diskGb, reserved: Math.ceil(reserved.diskGb) },
  ];
}

/** Shows it as metrics; throws what the engine answers where it does not say. */
export async function watchCapacity(services: {
  compute: ComputeDriver;
  db: Database;
  engine: string;
  metrics: Metrics;
}): Promise<void> {
  const supply = await readSupply(services);
  if (supply instanceof ApiError) throw supply;
  services.metrics.capacity(amountsOf(supply));
}
