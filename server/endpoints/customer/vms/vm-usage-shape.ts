import type { MeteredVm } from '../../../db/queries/money/meters.ts';
import { formatMicros, plainRate, sum, toJsonInteger } from '../../../domain/billing/money.ts';
import type { StretchUsage } from '../../../domain/billing/usage.ts';
import { Count, Decimal, Nullable, Shape } from '../../../http/schemas.ts';

const Quantity = { pattern: '^[0-9]+(\\.[0-9]+)?$' };

export const VmUsageShape = Shape(
  {
    traffic: Shape(
      {
        used_bytes: Count(
          'Outgoing traffic since the last charge that is counted, so neither free nor unmetered',
        ),
        included_bytes: Nullable(
          Count(
            'The included part, with each plan counted for its time; null if all of it is free or unmetered',
          ),
        ),
        overage_bytes: Count('Beyond that'),
        price_per_gb: Nullable(Decimal('Price per GB beyond the included traffic; null if free')),
        amount_minor: Count('Total in minor units of `currency`'),
      },
      { $id: 'TrafficUsage' },
    ),
    snapshots: Shape(
      {
        gb_months: {
          ...Decimal('GB stored, each for its share of the month'),
          ...Quantity,
          description: 'GB stored, each for its share of the month, so far',
        },
        price_gb_month: Nullable(Decimal('Price per GB and month; null if free')),
        amount_minor: Count('Total in minor units of `currency`'),
      },
      { $id: 'SnapshotUsage' },
    ),
  },
  {
    $id: 'VmUsage',
    description: 'Usage of a VM that has not been charged yet; all zero if nothing has a price',
  },
);

export function presentVmUsage({ meter }: MeteredVm, stretches: StretchUsage[]) {
  const add = (of: (usage: StretchUsage) => bigint) => toJsonInteger(sum(stretches.map(of)));
  const terms = meter?.readings.at(-1);
  // Includes traffic that is billed beyond its included volume and traffic that is throttled there.
  const counted = stretches.flatMap((usage) => [usage, ...(usage.unbilled ? [usage.unbilled] : [])]);
  const included = counted.flatMap(({ included_bytes }) => included_bytes ?? []);
  const price = (decimal: string | null | undefined) => (decimal ? plainRate(decimal) : null);
  return {
    traffic: {
      used_bytes: toJsonInteger(sum(counted.map(({ used_bytes }) => used_bytes))),
      included_bytes: included.length === 0 ? null : toJsonInteger(sum(included)),
      overage_bytes: add(({ overage_bytes }) => overage_bytes),
      price_per_gb: price(terms?.traffic_price),
      amount_minor: add(({ traffic_minor }) => traffic_minor),
    },
    snapshots: {
      gb_months: formatMicros(sum(stretches.map(({ gb_month_micros }) => gb_month_micros))),
      price_gb_month: price(terms?.snapshot_price),
      amount_minor: add(({ snapshots_minor }) => snapshots_minor),
    },
  };
}

export const exampleVmUsage = {
  traffic: {
    used_bytes: 48201733120,
    included_bytes: 1000000000000,
    overage_bytes: 0,
    price_per_gb: '0.0012',
    amount_minor: 0,
  },
  snapshots: { gb_months: '0.250000', price_gb_month: '0.012', amount_minor: 0 },
};
