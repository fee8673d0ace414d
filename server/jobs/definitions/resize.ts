import type { GuestSize } from '../../compute/driver.ts';
import { netOfPeriod } from '../../db/queries/money/adjustments.ts';
import { settleReservation } from '../../db/queries/vms/reservations.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import { catalogOf } from '../../domain/billing/buyers.ts';
import { pricedAnew } from '../../domain/billing/price-outlook.ts';
import { saleConfiguration } from '../../domain/billing/renewal-price.ts';
import { changeUsage } from '../../domain/billing/usage-terms.ts';
import { captureFor, releaseFor } from '../../domain/billing/vm-orders.ts';
import { bandwidthLimit, diskSpeed } from '../../domain/catalog/lookup.ts';
import { reservationOf } from '../../domain/hosts/supply.ts';
import { beginNetworkChange } from '../../domain/network/network-change.ts';
import type { ResizeInput } from '../../domain/vms/job-inputs.ts';
import type { JobContext, JobDefinition } from '../job.ts';
import { powerOffGuest, powerOnGuest } from './power-cycle.ts';

const input = ({ job }: JobContext) => job.input as unknown as ResizeInput;
const sizeOf = (
  { services }: JobContext,
  from: Pick<VmRow, 'plan' | 'vcpu' | 'ram_mb' | 'disk_gb'> & { dedicated?: boolean },
): GuestSize => ({
  vcpu: from.vcpu,
  ramMb: from.ram_mb,
  diskGb: from.disk_gb,
  disk: diskSpeed(services.catalog, from.plan),
  dedicated: from.dedicated ?? false,
});

/**
 * Returns `size`, but with the guest's disk if that is larger, which happens after an undone resize. A disk cannot
 * shrink, and unsold space costs nothing.
 */
function fitting(size: GuestSize, guest: GuestSize | undefined): GuestSize {
  return { ...size, diskGb: Math.max(size.diskGb, guest?.diskGb ?? 0) };
}

/** Changes plan or custom size: power off if running, resize, power on. Undo restores the former size. */
export const resize: JobDefinition = {
  steps: [
    powerOffGuest,
    {
      name: 'resize_guest',
      async run(context) {
        const { compute, vm } = context;
        await compute.resize(vm.id, fitting(sizeOf(context, input(context)), await compute.inspect(vm.id)));
      },
      async undo(context) {
        const { compute, vm } = context;
        const guest = await compute.inspect(vm.id);
        if (guest) await compute.resize(vm.id, fitting(sizeOf(context, vm), guest));
      },
    },
    powerOnGuest,
  ],
  async succeeded(tx, context, at) {
    const { services, job, vm } = context;
    await captureFor(services, tx, context.order, at);
    const {
      restart,
      plan,
      vcpu,
      ram_mb,
      disk_gb,
      dedicated = false,
      bandwidth_gb,
      ...billing
    } = input(context);
    const catalog = await catalogOf(tx, services.catalog, vm.account_id);
    const sold = {
      plan,
      vcpu,
      ram_mb,
      disk_gb,
      dedicated,
      bandwidth_gb,
      price_monthly_minor: BigInt(billing.price_monthly_minor),
      tax_rate: billing.tax_rate ?? vm.tax_rate,
      rounding_remainder: BigInt(billing.rounding_remainder ?? 0),
      ...(vm.refundable_minor !== null && { refundable_minor: await netOfPeriod(tx, vm) }),
      ...(billing.price_hourly_micros !== undefined && {
        price_hourly_micros: BigInt(billing.price_hourly_micros),
        metered_since: new Date(billing.metered_since!),
        ...(billing.deposit_minor !== undefined && {
          deposit_minor: BigInt(billing.deposit_minor),
          deposit_since: new Date(billing.metered_since!),
        }),
      }),
    };
    // Compares prices for one buyer: the account's billing details may have changed since the order.
    const priceOf = (of: VmRow) => saleConfiguration(of, catalog, job.created_at).price_monthly_minor;
    const isUpgrade = priceOf({ ...vm, ...sold }) > priceOf(vm);
    if (bandwidthLimit(services.catalog, plan) !== bandwidthLimit(services.catalog, vm.plan))
      await beginNetworkChange({ db: tx, services, now: at }, vm.id);
    const usage = await changeUsage(tx, catalog, vm, sold, at);
    await settleReservation(tx, vm.id, reservationOf(sold));
    return {
      change: {
        ...sold,
        ...pricedAnew(vm, job.created_at),
        ...usage,
        ...(isUpgrade && { upgraded_at: job.created_at }),
        status: restart ? 'running' : 'stopped',
        ...(restart && { wanted_power: 'on' as const }),
      },
      event: {
        type: 'vm.resized',
        message: 'The VM was resized.',
        metadata: { plan, vcpu, ram_mb, disk_gb },
      },
    };
  },
  async failed(tx, context, at) {
    await releaseFor(context.services, tx, context.order, at);
    // If the change was given up, the guest may have either size.
    if (!context.abandoned) await settleReservation(tx, context.vm.id, reservationOf(context.vm));
    return { change: { status: context.observed } };
  },
};
