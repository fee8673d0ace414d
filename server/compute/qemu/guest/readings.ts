import type { Clock } from '../../../platform/clock.ts';
import { within } from '../../../platform/within.ts';
import { ComputeUnavailableError, type GuestSample } from '../../driver.ts';
import { type NetworkCounters, type NetworkReading, NO_TRAFFIC } from '../network/network.ts';
import { type NetworkContext, readTraffic } from '../network/traffic.ts';
import { BALLOON_DEVICE, DISK_DEVICE } from '../process/arguments.ts';
import { cpuSeconds, residentBytes } from '../process/processes.ts';
import type { QemuProcess } from '../process/qemu-process.ts';
import type { Monitor } from '../process/qmp.ts';
import { boundQemuLog, keepConsoleLog } from './console-log.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';

/** Processes that have not answered yet. They are skipped until they answer or their reading fails. */
const asked = new WeakSet<QemuProcess>();

const MEGABYTE = 1_048_576;
/** A reading takes a few milliseconds; a process that hangs must not delay the readings of all others. */
const READING_MS = 5_000;
/** Interval in seconds at which the guest reports its memory, equal to the interval of readings. */
const BALLOON_SECONDS = 10;
const BALLOON = `/machine/peripheral/${BALLOON_DEVICE}`;

interface BlockStats {
  qdev?: string;
  stats: { rd_bytes: number; wr_bytes: number; rd_operations: number; wr_operations: number };
}

interface BalloonStats {
  'last-update': number;
  stats: Record<string, number>;
}

/** Returns samples of those guests that are on, whether or not anything inside them answers. */
export async function readSamples(
  guests: Guests,
  ids: string[],
  networkContext: NetworkContext,
  clock: Clock,
): Promise<GuestSample[]> {
  const running = ids
    .flatMap((id) => guests.find(id) ?? [])
    .filter(({ run }) => run && !run.ending && !asked.has(run));
  const traffic = await readTraffic(guests, running, networkContext);
  const at = clock.now();
  const samples = running.map((guest) => {
    const run = guest.run!;
    asked.add(run);
    const reading = readSample(guest, run, at, traffic.get(guest.id)).finally(() => asked.delete(run));
    return within(
      clock,
      READING_MS,
      reading,
      () => new ComputeUnavailableError(`${guest.id} does not answer`),
    );
  });
  // A guest that powers off in the meantime must not cost the others their readings.
  const read = await Promise.allSettled(samples);
  return read.flatMap((sample) => (sample.status === 'fulfilled' ? [sample.value] : []));
}

/** Returns what a running guest has used since it was powered on. */
async function readSample(
  guest: Guest,
  run: QemuProcess,
  at: Date,
  traffic: NetworkCounters & Pick<NetworkReading, 'refused'> = NO_TRAFFIC,
): Promise<GuestSample> {
  const { monitor, pid } = run;
  const { id, vcpu, ramMb } = guest.record;
  await boundQemuLog(guest.file('log'));
  await keepConsoleLog(monitor, guest.file('console'));
  // Counts only the threads that are the guest's CPUs: QEMU's other work is not the guest's.
  const cpus = await monitor.execute<{ 'thread-id': number }[]>('query-cpus-fast');
  const threads = cpus.map((cpu) => cpu['thread-id']);
  const blocks = await monitor.execute<BlockStats[]>('query-blockstats');
  const disk = blocks.find(({ qdev }) => qdev?.includes(`/${DISK_DEVICE}/`))?.stats;
  const used = (await balloonBytes(monitor)) ?? (await residentBytes(pid));
  return {
    id,
    at,
    cpuSeconds: await cpuSeconds(pid, threads),
    vcpu,
    ramUsedBytes: Math.min(used, ramMb * MEGABYTE),
    diskReadBytes: disk?.rd_bytes ?? 0,
    diskWriteBytes: disk?.wr_bytes ?? 0,
    diskReadOps: disk?.rd_operations ?? 0,
    diskWriteOps: disk?.wr_operations ?? 0,
    netInBytes: traffic.inBytes,
    netOutBytes: traffic.outBytes,
    netInPackets: traffic.inPackets,
    netOutPackets: traffic.outPackets,
    refused: traffic.refused,
  };
}

/** Returns the memory in use as reported by the guest's kernel; undefined until it has reported. */
async function balloonBytes(monitor: Monitor): Promise<number | undefined> {
  const property = { path: BALLOON, property: 'guest-stats' };
  const { stats, ...said } = await monitor.execute<BalloonStats>('qom-get', property);
  if (said['last-update'] === 0) {
    const value = { property: 'guest-stats-polling-interval', value: BALLOON_SECONDS };
    await monitor.execute('qom-set', { path: BALLOON, ...value });
    return undefined;
  }
  const [total, available] = [stats['stat-total-memory'] ?? -1, stats['stat-available-memory'] ?? -1];
  // A value that the guest does not know is 2^64 - 1.
  const known = total > 0 && available > 0 && available <= total;
  return known ? total - available : undefined;
}
