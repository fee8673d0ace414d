// Measures how much a guest is affected by another one on the same host that takes all it can get.
import { findLimiter } from '../../server/compute/qemu/process/limits.ts';
import { defer, type Lifetime } from '../../test/support/cleanup.ts';
import type { SiteOrder } from '../host-env.ts';
import { atMost, type Claim, leftOut } from '../report.ts';
import { median } from '../statistics.ts';
import { FLOODS, type Flood, flood, measuresOf } from './floods.ts';
import { carryOut } from './inside.ts';
import { logIn } from './login.ts';
import { startRealService } from './service.ts';

const ROUNDS = 7;
const MAXIMUM_RATIO = 1.5;
/** Limits of the plans, as a hoster would set them to divide up this host's disk and uplink. */
const SOLD = { disk_iops: 500, disk_mbps: 20, network_mbps: 200 };
/**
 * Virtual CPUs of the plan that floods. With as many CPUs as the host has, everything would only wait for the host's
 * CPUs, whatever is measured.
 */
const FLOODING_CPUS = 1;

type Floods = Record<'quiet' | Flood, number[]>;

async function twoGuests(life: Lifetime, order: SiteOrder) {
  const service = await startRealService(life, order, {}, { plan: SOLD });
  const [quiet, loud] = [await service.buy('quiet'), await service.buy('loud')];
  const shells = [];
  for (const vm of [quiet, loud]) {
    await service.running(vm);
    const shell = await logIn(vm.address, service.privateKey);
    defer(life, () => shell.end());
    shells.push(shell);
  }
  const measures = await measuresOf(shells[0]!, quiet.address);
  return { measures: Object.entries(measures), loud: shells[1]! };
}

/** Returns report lines about limits on guests that are missing here; the results still count without them. */
async function limits(): Promise<Claim[]> {
  const found = await findLimiter();
  const about = 'limits of neighbours by the kernel';
  if (typeof found === 'string') return [leftOut(about, found)];
  return found.lacks.length > 0
    ? [leftOut(`${about}: ${found.lacks.join(', ')}`, `${found.how} has none`)]
    : [];
}

function claimOf(what: string, { quiet, ...floods }: Floods): Claim {
  const ms = (seconds: number[]) => `${(median(seconds) * 1000).toFixed(median(seconds) < 0.01 ? 2 : 0)} ms`;
  const ratio = (times: number[]) => median(times.map((time, round) => time / quiet[round]!));
  const ratios = Object.entries(floods).map(([name, times]) => ({ name, times, ratio: ratio(times) }));
  const worst = Math.max(...ratios.map(({ ratio }) => ratio));
  const detail = ratios
    .map(({ name, times, ratio }) => `${name} ${ratio.toFixed(2)}, ${ms(times)}`)
    .join('; ');
  return atMost(
    `a neighbour floods ÷ quiet, ${what}`,
    MAXIMUM_RATIO,
    worst,
    '×',
    `${detail}; quiet ${ms(quiet)}`,
  );
}

carryOut(async (life, order) => {
  const { measures, loud } = await twoGuests(life, order);
  const results = new Map(
    measures.map(([name]): [string, Floods] => [name, { quiet: [], disk: [], network: [], CPU: [] }]),
  );
  const measureAll = async (during: keyof Floods) => {
    for (const [name, measure] of measures) results.get(name)![during].push(await measure());
  };
  // Warms up; does not count.
  for (const [, measure] of measures) await measure();
  for (let round = 0; round < ROUNDS; round++) {
    await measureAll('quiet');
    for (const what of Object.keys(FLOODS) as Flood[]) {
      const end = await flood(loud, what, FLOODING_CPUS);
      await measureAll(what);
      await end();
    }
  }
  return [...[...results].map(([what, floods]) => claimOf(what, floods)), ...(await limits())];
});
