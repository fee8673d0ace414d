import type { BandwidthDay } from '../db/queries/vms/bandwidth.ts';
import { max } from '../domain/billing/money.ts';
import { invalidField } from '../platform/errors.ts';

/** Traffic is sold in decimal gigabytes. */
const BYTES_PER_GB = 1_000_000_000n;

/** Returns the month "2026-01" in UTC as [start, end); refuses a future one. */
export function monthOf(text: string, now: Date): { start: Date; end: Date } {
  const [year, month] = text.split('-').map(Number) as [number, number];
  const start = new Date(Date.UTC(year, month - 1));
  if (start > now) throw invalidField('month', 'in_the_future', 'must not be in the future');
  return { start, end: new Date(Date.UTC(year, month)) };
}

/** A month's traffic. `includedBytes` is null for an unmetered VM, which has no overage. */
export interface Bandwidth {
  inBytes: bigint;
  outBytes: bigint;
  includedBytes: bigint | null;
  overageBytes: bigint;
}

/** Adds up a month's days and compares them with the included volume; only outgoing traffic counts. */
export function bandwidthOf(days: BandwidthDay[], includedGb: number | null): Bandwidth {
  const inBytes = days.reduce((sum, day) => sum + day.in_bytes, 0n);
  const outBytes = days.reduce((sum, day) => sum + day.out_bytes, 0n);
  const includedBytes = includedGb === null ? null : BigInt(includedGb) * BYTES_PER_GB;
  const overageBytes = includedBytes === null ? 0n : max(0n, outBytes - includedBytes);
  return { inBytes, outBytes, includedBytes, overageBytes };
}
