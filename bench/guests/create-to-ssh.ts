// Times from requesting a guest to a login in it: by the service, a bare script, and virt-install.
import { atMost, type Claim, leftOut } from '../report.ts';
import { rivalParts } from './baseline.ts';
import { atMostTimes, bare, inTurn, libvirt, ours, ratioOf, shown } from './contenders.ts';
import { carryOut } from './inside.ts';
import { whyNoLibvirt } from './libvirt.ts';
import { startRealService } from './service.ts';

const ROUNDS = 5;
const TOGETHER = 10;
const MAXIMUM_OVER_BARE = 1.25;
const MAXIMUM_OVER_LIBVIRT = 0.8;

carryOut(async (life, order) => {
  const service = await startRealService(life, order);
  const parts = await rivalParts(order);
  const noLibvirt = whyNoLibvirt();
  const running: number[] = [];
  const racers = [ours(service, running), bare(parts)];
  if (!noLibvirt) racers.push(await libvirt(life, order, parts));
  // Does not count, because some things are read for the first time or made only once.
  await inTurn(1, racers);
  running.length = 0;
  const [mine, script, install] = await inTurn(ROUNDS, racers);
  const said = `; said to run after ${shown(running)}`;
  const about = 'create to SSH ÷ virt-install';
  const claims: Claim[] = [
    atMostTimes('create to SSH ÷ a bare script', MAXIMUM_OVER_BARE, mine!, script!, said),
    noLibvirt ? leftOut(about, noLibvirt) : atMostTimes(about, MAXIMUM_OVER_LIBVIRT, mine!, install!),
  ];
  const [all, scripts] = await inTurn(1, racers.slice(0, 2), TOGETHER);
  const last = `the last after ${shown(all!)} and ${shown(scripts!)}`;
  const ten = `${TOGETHER} creates at once ÷ ${TOGETHER} bare scripts`;
  claims.push(atMost(ten, MAXIMUM_OVER_BARE, ratioOf(all!, scripts!), '×', last));
  return claims;
});
