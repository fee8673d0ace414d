// Contestants in the race from requesting a guest to a login in it.
import type { Lifetime } from '../../test/support/cleanup.ts';
import type { SiteOrder } from '../host-env.ts';
import { atMost, type Claim } from '../report.ts';
import { median } from '../statistics.ts';
import { startBare } from './bare.ts';
import type { RivalParts } from './baseline.ts';
import { startLibvirt } from './libvirt.ts';
import { untilLogin } from './login.ts';
import type { startRealService } from './service.ts';

type RealService = Awaited<ReturnType<typeof startRealService>>;
/** A guest after the first login. */
interface Finish {
  /** Seconds since it was requested. */
  seconds: number;
  remove(): Promise<void>;
}
export type Racer = () => Promise<Finish>;

const stopwatch = () => {
  const startedAt = performance.now();
  return () => (performance.now() - startedAt) / 1000;
};

/** The service. `runningAfter` receives the seconds after which it reported the guest as running. */
export function ours(service: RealService, runningAfter: number[]): Racer {
  return async () => {
    const elapsed = stopwatch();
    const vm = await service.buy('bench');
    const running = service.running(vm).then(() => runningAfter.push(elapsed()));
    await untilLogin(vm.address, service.privateKey);
    const seconds = elapsed();
    await running;
    return { seconds, remove: () => service.remove(vm) };
  };
}

/** A script that does as little as possible. */
export function bare(parts: RivalParts): Racer {
  return async () => {
    const guest = parts.guest();
    const elapsed = stopwatch();
    const remove = startBare(parts, guest);
    await untilLogin(guest.address, parts.privateKey);
    return { seconds: elapsed(), remove };
  };
}

export async function libvirt(life: Lifetime, order: SiteOrder, parts: RivalParts): Promise<Racer> {
  const { install, remove } = await startLibvirt(life, order, parts);
  return async () => {
    const guest = parts.guest();
    const elapsed = stopwatch();
    await install(guest);
    await untilLogin(guest.address, parts.privateKey);
    return { seconds: elapsed(), remove: () => remove(guest) };
  };
}

/** Starts `count` guests at once; returns the seconds until the last one's first login. */
async function race(racer: Racer, count: number): Promise<number> {
  const finished = await Promise.all(Array.from({ length: count }, racer));
  for (const { remove } of finished) await remove();
  return Math.max(...finished.map(({ seconds }) => seconds));
}

/** Returns, for each racer, the seconds until the first login to the last of `count` guests, by round. */
export async function inTurn(rounds: number, racers: Racer[], count = 1): Promise<number[][]> {
  const times: number[][] = racers.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, racer] of racers.entries()) times[index]!.push(await race(racer, count));
  return times;
}

/** Returns the median of the rounds' ratios. */
export function ratioOf(ours: number[], theirs: number[]): number {
  return median(ours.map((time, round) => time / theirs[round]!));
}

export const shown = (times: number[]) => `${median(times).toFixed(1)} s`;

/** Claims that `mine` took at most `maximum` times as long as `theirs`; shows both medians, followed by `more`. */
export function atMostTimes(
  about: string,
  maximum: number,
  mine: number[],
  theirs: number[],
  more = '',
): Claim {
  return atMost(about, maximum, ratioOf(mine, theirs), '×', `${shown(mine)} and ${shown(theirs)}${more}`);
}
