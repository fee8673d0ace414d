import { seeded, waveIntegral } from '../../../../platform/synthetic-load.ts';

/**
 * Computes how much a simulated guest uses. Each rate is a mean plus waves (a daily rhythm and shorter, irregular
 * ones), so the usage between two times is an integral in closed form: the same for every caller and after any restart,
 * at the cost of a few cosines however long the time span is.
 */

/** Usage between two times, or a sum of several such. */
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

/**
 * Lowest and highest mean rate per second. A guest's own mean is in between, more often near the low end. CPU is per
 * vCPU.
 */
const MEANS: Record<keyof Usage, readonly [low: number, high: number]> = {
  cpuSeconds: [0.04, 0.4],
  diskReadBytes: [20_000, 800_000],
  diskWriteBytes: [50_000, 1_500_000],
  netInBytes: [10_000, 400_000],
  netOutBytes: [20_000, 900_000],
};

const DAY_SECONDS = 86_400;
/** Amplitude relative to the mean. The sum is below 1, so no rate is negative and no counter decreases. */
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

/** Returns the phase at which a daily sine peaks at this guest's busiest hour. */
function dayPhase(random: number): number {
  const peak = (BUSIEST_HOUR + (random - 0.5) * BUSIEST_HOUR_SPREAD) / 24;
  return Math.PI / 2 - 2 * Math.PI * peak;
}

/** Returns what a guest with `vcpu` CPUs used between two times (epoch milliseconds). Never negative; grows with `to`. */
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

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    diskReadBytes: a.diskReadBytes + b.diskReadBytes,
    diskWriteBytes: a.diskWriteBytes + b.diskWriteBytes,
    netInBytes: a.netInBytes + b.netInBytes,
    netOutBytes: a.netOutBytes + b.netOutBytes,
  };
}

/**
 * Returns the memory in use at `nowMs` by a guest running since `sinceMs`: it grows while the guest warms up, then
 * varies a little.
 */
export function ramUsedBytes(id: string, ramMb: number, sinceMs: number, nowMs: number): number {
  const random = seeded(`${id}/ram`);
  const settled = RAM_SETTLED[0] + (RAM_SETTLED[1] - RAM_SETTLED[0]) * random();
  const warm = 1 - Math.exp(-(nowMs - sinceMs) / 1000 / RAM_SETTLING_SECONDS);
  const wave = RAM_WAVE * Math.sin((2 * Math.PI * nowMs) / 1000 / DAY_SECONDS + dayPhase(random()));
  const share = RAM_AT_BOOT + (settled - RAM_AT_BOOT + wave) * warm;
  return Math.floor((share * ramMb * MEBIBYTE) / PAGE_BYTES) * PAGE_BYTES;
}
