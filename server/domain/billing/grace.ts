import type { VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';

const HOUR_MS = 3_600_000;

/**
 * When a VM that is not renewed is suspended: some time after its period, or at its very end where it was not
 * to be renewed, since nothing is owed then.
 */
export function graceEnd(
  vm: Pick<VmRow, 'auto_renew' | 'billing_period_end_at'>,
  { suspend_after_hours }: Catalog['grace'],
): Date {
  const graceMs = vm.auto_renew ? suspend_after_hours * HOUR_MS : 0;
  return new Date(vm.billing_period_end_at.getTime() + graceMs);
}
