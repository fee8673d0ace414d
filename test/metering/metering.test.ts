import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuestSample } from '../../server/compute/driver.ts';
import { countersOf, meter } from '../../server/metering/metering.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

/** A guest that has run for `seconds`: one of its two CPUs is busy, and all its counters are round numbers. */
function sampleAfter(seconds: number, ran = seconds): GuestSample {
  return {
    id: 'vm_a',
    at: new Date(START + seconds * 1000),
    cpuSeconds: ran,
    vcpu: 2,
    ramUsedBytes: 4096,
    diskReadBytes: 100 * ran,
    diskWriteBytes: 200 * ran,
    diskReadOps: 3 * ran,
    diskWriteOps: 4 * ran,
    netInBytes: 1000 * ran,
    netOutBytes: 2000 * ran,
    netInPackets: 5 * ran,
    netOutPackets: 6 * ran,
  };
}

const between = (before: GuestSample, now: GuestSample) =>
  meter(now, { at: before.at, counters: countersOf(before) });

const RATES = {
  cpu_percent: 50,
  ram_used_bytes: 4096,
  disk_read_bytes_per_second: 100,
  disk_write_bytes_per_second: 200,
  disk_read_iops: 3,
  disk_write_iops: 4,
  net_in_bps: 8000,
  net_out_bps: 16_000,
  net_in_pps: 5,
  net_out_pps: 6,
};
const GAP = { ...Object.fromEntries(Object.keys(RATES).map((name) => [name, null])), ram_used_bytes: 4096 };

test('rates are of the time between two readings', () => {
  assert.deepEqual(between(sampleAfter(100), sampleAfter(110)), {
    readings: RATES,
    inBytes: 10_000,
    outBytes: 20_000,
  });
});

test('one missed reading still gives rates, two are a gap; traffic counts through both', () => {
  const afterOne = between(sampleAfter(100), sampleAfter(120));
  assert.deepEqual(afterOne, { readings: RATES, inBytes: 20_000, outBytes: 40_000 });
  const afterTwo = between(sampleAfter(100), sampleAfter(130));
  assert.deepEqual(afterTwo, { readings: GAP, inBytes: 30_000, outBytes: 60_000 });
});

test('a first reading is a gap, and its traffic is all since the guest was powered on', () => {
  assert.deepEqual(meter(sampleAfter(7), undefined), { readings: GAP, inBytes: 7000, outBytes: 14_000 });
});

test('after a restart, which any one counter betrays, there is a gap and traffic counts from zero', () => {
  const restarted = between(sampleAfter(100), sampleAfter(110, 4));
  assert.deepEqual(restarted, { readings: GAP, inBytes: 4000, outBytes: 8000 });
  const busyAfterwards = { ...sampleAfter(110), cpuSeconds: 2 };
  assert.deepEqual(between(sampleAfter(100), busyAfterwards), {
    readings: GAP,
    inBytes: 110_000,
    outBytes: 220_000,
  });
});

test('a reading right after another one, by another node, counts for nothing', () => {
  assert.equal(between(sampleAfter(100), sampleAfter(100)), undefined);
  assert.equal(between(sampleAfter(100), sampleAfter(104)), undefined);
  assert.equal(between(sampleAfter(100), sampleAfter(95)), undefined);
});

test('a CPU is never more than fully used', () => {
  const busy = { ...sampleAfter(110), cpuSeconds: 100 + 20.4 };
  assert.equal(between(sampleAfter(100), busy)!.readings.cpu_percent, 100);
});
