import type { Reading } from '../db/queries/vms/metrics.ts';

/** The groups that `?metrics=` selects. */
export const METRIC_GROUPS = ['cpu', 'ram', 'disk', 'network'] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];

interface SeriesInfo {
  group: MetricGroup;
  unit: string;
}

/** The series of a VM: group and unit. `percent` is of all virtual CPUs together. */
export const SERIES: Record<Reading, SeriesInfo> = {
  cpu_percent: { group: 'cpu', unit: 'percent' },
  ram_used_bytes: { group: 'ram', unit: 'bytes' },
  disk_read_bytes_per_second: { group: 'disk', unit: 'bytes_per_second' },
  disk_write_bytes_per_second: { group: 'disk', unit: 'bytes_per_second' },
  disk_read_iops: { group: 'disk', unit: 'operations_per_second' },
  disk_write_iops: { group: 'disk', unit: 'operations_per_second' },
  net_in_bps: { group: 'network', unit: 'bits_per_second' },
  net_out_bps: { group: 'network', unit: 'bits_per_second' },
  net_in_pps: { group: 'network', unit: 'packets_per_second' },
  net_out_pps: { group: 'network', unit: 'packets_per_second' },
};

/** Returns the series of the given groups, in the order of the contract. */
export function seriesOf(groups: readonly MetricGroup[]): Reading[] {
  return (Object.keys(SERIES) as Reading[]).filter((name) => groups.includes(SERIES[name].group));
}
