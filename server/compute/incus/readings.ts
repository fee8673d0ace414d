import type { Clock } from '../../platform/clock.ts';
import type { GuestSample } from '../driver.ts';
import { type Instance, idOf, isGuest, isOn, sizeOf } from './instance.ts';
import type { Instances } from './instances.ts';
import type { Members } from './members.ts';

const NANOSECONDS = 1_000_000_000;
const MEGABYTE = 1_048_576;
/** Processor modes that do not count as work for the guest. */
const AT_REST = ['idle', 'iowait', 'steal'];
/** No real counter reaches this: Incus reports negative values wrapped around. */
const MOST = 2 ** 53;

const DISK_COUNTERS = {
  incus_disk_read_bytes_total: 'diskReadBytes',
  incus_disk_written_bytes_total: 'diskWriteBytes',
  incus_disk_reads_completed_total: 'diskReadOps',
  incus_disk_writes_completed_total: 'diskWriteOps',
} as const;

type DiskCounter = (typeof DISK_COUNTERS)[keyof typeof DISK_COUNTERS];
type DiskReadings = Record<DiskCounter, number>;

/** Returns samples of those guests that are on and whose members answer. */
export async function readSamples(
  {
    clock,
    instances,
    members,
    project,
  }: { clock: Clock; instances: Instances; members: Members; project: string },
  ids: readonly string[],
): Promise<GuestSample[]> {
  const wanted = new Set(ids);
  const all = (await instances.listWithState()).filter(
    (instance) => isGuest(instance) && wanted.has(idOf(instance)) && isOn(instance) && instance.state,
  );
  const places = [...new Set(all.map(({ location }) => location))];
  const disks = new Map<string, DiskReadings>();
  const processors = new Map<string, number>();
  await Promise.all(
    places.map(async (member) => {
      // If a member has just gone down, its guests are sampled without these.
      const text = await members.textAt(member, `/1.0/metrics?project=${project}`).catch(() => '');
      for (const [name, readings] of diskReadings(text)) disks.set(name, readings);
      for (const [name, seconds] of cpuReadings(text)) processors.set(name, seconds);
    }),
  );
  const at = clock.now();
  return all.map((instance) =>
    sampleOf(instance, disks.get(instance.name), processors.get(instance.name), at),
  );
}

function sampleOf(
  instance: Instance,
  disk: DiskReadings | undefined,
  cpuSeconds: number | undefined,
  at: Date,
): GuestSample {
  const { cpu, memory, network } = instance.state!;
  const { vcpu, ramMb } = sizeOf(instance);
  const cards = Object.values(network ?? {}).filter(({ type }) => type !== 'loopback');
  const sum = (name: keyof (typeof cards)[number]['counters']) =>
    cards.reduce((total, { counters }) => total + counted(counters[name]), 0);
  return {
    id: idOf(instance),
    at,
    // Without Incus's agent inside a virtual machine, its state has no CPU usage.
    cpuSeconds: counted(cpu?.usage ?? 0) / NANOSECONDS || (cpuSeconds ?? 0),
    vcpu,
    ramUsedBytes: Math.min(counted(memory?.usage ?? 0), ramMb * MEGABYTE),
    ...(disk ?? { diskReadBytes: 0, diskWriteBytes: 0, diskReadOps: 0, diskWriteOps: 0 }),
    netInBytes: sum('bytes_received'),
    netOutBytes: sum('bytes_sent'),
    netInPackets: sum('packets_received'),
    netOutPackets: sum('packets_sent'),
  };
}

/** Returns the disk counters in a member's metrics, by instance name. */
export function diskReadings(text: string): Map<string, DiskReadings> {
  const all = new Map<string, DiskReadings>();
  for (const [, metric, labels, value] of text.matchAll(/^(incus_disk_\w+)\{([^}\n]*)\} ([0-9.e+-]+)$/gm)) {
    const counter = DISK_COUNTERS[metric as keyof typeof DISK_COUNTERS];
    const name = labelOf(labels!, 'name');
    if (!counter || !name) continue;
    const readings = all.get(name) ?? {
      diskReadBytes: 0,
      diskWriteBytes: 0,
      diskReadOps: 0,
      diskWriteOps: 0,
    };
    readings[counter] += counted(Number(value));
    all.set(name, readings);
  }
  return all;
}

/** Returns the working CPU time in a member's metrics, in seconds by instance name. */
export function cpuReadings(text: string): Map<string, number> {
  const all = new Map<string, number>();
  for (const [, labels, value] of text.matchAll(/^incus_cpu_seconds_total\{([^}\n]*)\} ([0-9.e+-]+)$/gm)) {
    const name = labelOf(labels!, 'name');
    if (!name || AT_REST.includes(labelOf(labels!, 'mode')!)) continue;
    all.set(name, (all.get(name) ?? 0) + counted(Number(value)));
  }
  return all;
}

const labelOf = (labels: string, label: string) => new RegExp(`(?:^|,)${label}="([^"]+)"`).exec(labels)?.[1];

const counted = (number: number) => (number >= 0 && number < MOST ? number : 0);
