import { seeded, waveIntegral } from '../../platform/synthetic-load.ts';

/**
 * How much a simulated guest uses. Each rate is a mean with waves around it (a day's rhythm and shorter, restless
 * ones), so the use between two instants is an integral in closed form: the same for every caller, after any
 * restart, however far apart the instants are, at the cost of a few cosines.
 */

/** Use between two instants, or the sum of several such. */
export interface Usage {
  cpuSeconds: number;
  diskReadBytes: number;
  diskWriteBytes: number;
  netInBytes: number;
  netOutBytes: number;
}

export const NO_USAGE: Usage = {
  cpuSeconds: 0,
  diskReadBytes: 0,
  diskWriteBytes: 0,
  netInBytes: 0,
  netOutBytes: 0,
};

/** Lowest and highest mean rate, a second; a guest's own lies between, more often near the low end. CPU: a vCPU. */
const MEANS: Record<keyof Usage, readonly [low: number, high: number]> = {
  cpuSeconds: [0.04, 0.4],
  diskReadBytes: [20_000, 800_000],
  diskWriteBytes: [50_000, 1_500_000],
  netInBytes: [10_000, 400_000],
  netOutBytes: [20_000, 900_000],
};

const DAY_SECONDS = 86_400;
/** Height relative to the mean. Together below 1, so no rate is ever negative and no counter ever falls. */
const DAY_HEIGHT = 0.45;
const RESTLESS_WAVES = [
  { seconds: 11_000, height: 0.2 },
  { seconds: 2_300, height: 0.15 },
  { seconds: 410, height: 0.1 },
  { seconds: 67, height: 0.05 },
] as const;

/** Most guests serve people who are awake: the busiest time is around 15:00 UTC, give or take two hours. */
const BUSIEST_HOUR = 15;
const BUSIEST_HOUR_SPREAD = 4;

const RAM_AT_BOOT = 0.12;
const RAM_SETTLED = [0.25, 0.65] as const;
const RAM_SETTLING_SECONDS = 600;
const RAM_WAVE = 0.12;
const PAGE_BYTES = 4096;
const MEBIBYTE = 1_048_576;

/** The phase at which a daily sine peaks at this guest's busiest hour. */
function dayPhase(random: number): number {
  const peak = (BUSIEST_HOUR + (random - 0.5) * BUSIEST_HOUR_SPREAD) / 24;
  return Math.PI / 2 - 2 * Math.PI * peak;
}

/** What a guest of `vcpu` used between two instants (epoch milliseconds). Never negative; grows with `to`. */
export function usageBetween(id: string, vcpu: number, fromMs: number, toMs: number): Usage {
  const from = fromMs / 1000;
  const to = toMs / 1000;
  const random = seeded(id);
  const day = waveIntegral(DAY_HEIGHT, DAY_SECONDS, dayPhase(random()), from, to);
  const usage = { ...NO_USAGE };
  for (const metric of Object.keys(MEANS) as (keyof Usage)[]) {
    const [low, high] = MEANS[metric];
    const mean = low * (high / low) ** random();
    let weighted = (toMs - fromMs) / 1000 + day;
    for (const { seconds, height } of RESTLESS_WAVES) {
      const period = seconds * (0.9 + 0.2 * random());
      weighted += waveIntegral(height, period, 2 * Math.PI * random(), from, to);
    }
    usage[metric] = mean * weighted;
  }
  usage.cpuSeconds *= vcpu;
  return usage;
}

/** Sum of two uses. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    diskReadBytes: a.diskReadBytes + b.diskReadBytes,
    diskWriteBytes: a.diskWriteBytes + b.diskWriteBytes,
    netInBytes: a.netInBytes + b.netInBytes,
    netOutBytes: a.netOutBytes + b.netOutBytes,
  };
}

/** Memory in use at `nowMs` by a guest that runs since `sinceMs`: fills while it warms up, then moves a little. */
export function ramUsedBytes(id: string, ramMb: number, sinceMs: number, nowMs: number): number {
  const random = seeded(`${id}/ram`);
  const settled = RAM_SETTLED[0] + (RAM_SETTLED[1] - RAM_SETTLED[0]) * random();
  const warm = 1 - Math.exp(-(nowMs - sinceMs) / 1000 / RAM_SETTLING_SECONDS);
  const wave = RAM_WAVE * Math.sin((2 * Math.PI * nowMs) / 1000 / DAY_SECONDS + dayPhase(random()));
  const share = RAM_AT_BOOT + (settled - RAM_AT_BOOT + wave) * warm;
  return Math.floor((share * ramMb * MEBIBYTE) / PAGE_BYTES) * PAGE_BYTES;
}
