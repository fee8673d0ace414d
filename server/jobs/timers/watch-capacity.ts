import { readSupply } from '../../cluster/read-supply.ts';
import type { ComputeDriver } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import type { Supply } from '../../domain/hosts/supply.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';

export interface Amount {
  resource: 'vcpu' | 'dedicated_cores' | 'ram_mb' | 'disk_gb';
  /** Infinity if there is no limit. */
  total: number;
  reserved: number;
}

/** Returns the total of all hosts and the reserved part, which includes QEMU's own overhead for each guest. */
export function amountsOf({ total, reserved }: Supply): Amount[] {
  return [
    { resource: 'vcpu', total: total.vcpu, reserved: reserved.vcpu },
    { resource: 'dedicated_cores', total: total.cores, reserved: reserved.cores },
    { resource: 'ram_mb', total: total.ramMb, reserved: reserved.ramMb },
    { resource: 'disk_gb', total: total.diskGb, reserved: Math.ceil(reserved.diskGb) },
  ];
}

/** Exports the capacity as metrics; throws if the engine cannot report it. */
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
