import { findVm } from '../../db/queries/vms.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Services } from '../../services.ts';
import type { Size } from '../billing/pricing.ts';
import { askDriver } from './driver-errors.ts';

/**
 * Whether the engine has room for a VM of this size: null, or the refusal to answer with. Never called
 * inside a transaction.
 */
export async function askAdmission(services: Services, size: Size, region: string): Promise<ApiError | null> {
  const guest = { vcpu: size.vcpu, ramMb: size.ram_mb, diskGb: size.disk_gb };
  try {
    await askDriver(() => services.compute.admit(guest, region));
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * The same for a VM that is to become another size; what is not a number in `wish`, which is not validated
 * yet, counts as unchanged. A VM that only shrinks, or that is not there, needs no room.
 */
export async function askChangeAdmission(
  services: Services,
  accountId: string,
  vmId: string,
  wish: { [size in keyof Size]?: unknown },
): Promise<ApiError | null> {
  const vm = await findVm(services.db, accountId, vmId);
  if (!vm) return null;
  const grown = (size: keyof Size) =>
    typeof wish[size] === 'number' ? Math.max(0, wish[size] - vm[size]) : 0;
  const more = { vcpu: grown('vcpu'), ram_mb: grown('ram_mb'), disk_gb: grown('disk_gb') };
  const grows = more.vcpu > 0 || more.ram_mb > 0 || more.disk_gb > 0;
  return grows ? askAdmission(services, more, vm.region) : null;
}
