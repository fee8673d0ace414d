// Times from the wish for a guest to a login in it: the service's, a bare script's, and virt-install's.
import type { Lifetime } from '../../test/support/cleanup.ts';
import { atMost, type Claim, leftOut } from '../report.ts';
import type { SiteOrder } from '../site.ts';
import { median } from '../statistics.ts';
import { startBare } from './bare.ts';
import { carryOut } from './inside.ts';
import { startLibvirt, whyNoLibvirt } from './libvirt.ts';
import { untilLogin } from './login.ts';
import { type RivalParts, rivalParts } from './rival.ts';
import { startRealService } from './service.ts';

const ROUNDS = 5;
const TOGETHER = 10;
const MAXIMUM_OVER_BARE = 1.25;
const MAXIMUM_OVER_LIBVIRT = 0.8;

type RealService = Awaited<ReturnType<typeof startRealService>>;
/** A guest that somebody has logged in to. */
interface Finish {
  /** From the wish for it. */
  seconds: number;
  /** Takes it away. */
  remove(): Promise<void>;
}
type Racer = () => Promise<Finish>;

const stopwatch = () => {
  const startedAt = performance.now();
  return () => (performance.now() - startedAt) / 1000;
};

function ours(service: RealService, runningAfter: number[]): Racer {
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

function bare(parts: RivalParts): Racer {
  return async () => {
    const guest = parts.guest();
    const elapsed = stopwatch();
    const remove = startBare(parts, guest);
    await untilLogin(guest.address, parts.privateKey);
    return { seconds: elapsed(), remove };
  };
}

async function libvirt(life: Lifetime, order: SiteOrder, parts: RivalParts): Promise<Racer> {
  const { install, remove } = await startLibvirt(life, order, parts);
  return async () => {
    const guest = parts.guest();
    const elapsed = stopwatch();
    await install(guest);
    await untilLogin(guest.address, parts.privateKey);
    return { seconds: elapsed(), remove: () => remove(guest) };
  };
}

/** `count` at once: seconds until somebody had logged in to the last. */
async function race(racer: Racer, count: number): Promise<number> {
  const finished = await Promise.all(Array.from({ length: count }, racer));
  for (const { remove } of finished) await remove();
  return Math.max(...finished.map(({ seconds }) => seconds));
}

async function inTurn(rounds: number, racers: Racer[], count = 1): Promise<number[][]> {
  const times: number[][] = racers.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, racer] of racers.entries()) times[index]!.push(await race(racer, count));
  return times;
}

/** Of each round the ratio, and the one in the middle of them. */
function ratioOf(ours: number[], theirs: number[]): number {
  return median(ours.map((time, round) => time / theirs[round]!));
}

const shown = (times: number[]) => `${median(times).toFixed(1)} s`;

carryOut(async (life, order) => {
  const service = await startRealService(life, order);
  const parts = await rivalParts(order);
  const noLibvirt = whyNoLibvirt();
  const running: number[] = [];
  const racers = [ours(service, running), bare(parts)];
  if (!noLibvirt) racers.push(await libvirt(life, order, parts));
  // What is read for the first time, or made once, is nobody's.
  await inTurn(1, racers);
  running.length = 0;
  const [mine, script, install] = await inTurn(ROUNDS, racers);
  const detail = `${shown(mine!)} and ${shown(script!)}; said to run after ${shown(running)}`;
  const claims: Claim[] = [
    atMost('create to SSH ÷ a bare script', MAXIMUM_OVER_BARE, ratioOf(mine!, script!), '×', detail),
  ];
  const about = 'create to SSH ÷ virt-install';
  if (noLibvirt) claims.push(leftOut(about, noLibvirt));
  else {
    const beside = `${shown(mine!)} and ${shown(install!)}`;
    claims.push(atMost(about, MAXIMUM_OVER_LIBVIRT, ratioOf(mine!, install!), '×', beside));
  }
  const [all, scripts] = await inTurn(1, racers.slice(0, 2), TOGETHER);
  const last = `the last after ${shown(all!)} and ${shown(scripts!)}`;
  const ten = `${TOGETHER} creates at once ÷ ${TOGETHER} bare scripts`;
  claims.push(atMost(ten, MAXIMUM_OVER_BARE, ratioOf(all!, scripts!), '×', last));
  return claims;
});
