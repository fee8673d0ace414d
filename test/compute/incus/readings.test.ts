import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuReadings, diskReadings } from '../../../server/compute/incus/readings.ts';

const cpu = (name: string, processor: number, mode: string, seconds: string) =>
  `incus_cpu_seconds_total{cpu="${processor}",mode="${mode}",name="${name}",project="default",type="virtual-machine"} ${seconds}`;
const disk = (name: string, device: string, what: string, value: string) =>
  `incus_disk_${what}_total{device="${device}",name="${name}",project="default",type="virtual-machine"} ${value}`;

/** Metrics of virtual machines as Incus writes them; negative counters wrap around. */
const METRICS = [
  '# HELP incus_cpu_seconds_total The total number of CPU time used in seconds.',
  '# TYPE incus_cpu_seconds_total counter',
  cpu('vm-1', 0, 'idle', '1000'),
  cpu('vm-1', 0, 'iowait', '20'),
  cpu('vm-1', 0, 'system', '0.5'),
  cpu('vm-1', 0, 'user', '7.5'),
  cpu('vm-1', 1, 'user', '2'),
  cpu('vm-2', 0, 'user', '1.8446744073686723e+19'),
  'incus_cpu_effective_total{name="vm-1",project="default",type="virtual-machine"} 0',
  disk('vm-1', 'dev-incus_root', 'read_bytes', '2.3844352e+07'),
  disk('vm-1', 'dev-incus_seed', 'read_bytes', '266240'),
  disk('vm-1', 'dev-incus_root', 'writes_completed', '153'),
].join('\n');

test('processors are read by the time that they have worked', () => {
  assert.deepEqual(
    [...cpuReadings(METRICS)],
    [
      ['vm-1', 10],
      ['vm-2', 0],
    ],
  );
});

test('disks are read all together', () => {
  const disks = { diskReadBytes: 24_110_592, diskWriteBytes: 0, diskReadOps: 0, diskWriteOps: 153 };
  assert.deepEqual([...diskReadings(METRICS)], [['vm-1', disks]]);
});
