// Times from requesting a guest to a login in it, with guests cloned from a warm template.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { leftOut } from '../report.ts';
import { rivalParts } from './baseline.ts';
import { atMostTimes, bare, inTurn, libvirt, ours } from './contenders.ts';
import { carryOut } from './inside.ts';
import { whyNoLibvirt } from './libvirt.ts';
import { startRealService } from './service.ts';

const ROUNDS = 5;
/** The target against virt-install is the same as without a template; the one against the bare script is stricter. */
const MAXIMUM_OVER_BARE = 0.8;
const MAXIMUM_OVER_LIBVIRT = 0.8;

/** Waits for a finished template, whose creation the first guest triggered. */
async function untilTemplate(dataDir: string): Promise<void> {
  const ready = () => readdirSync(join(dataDir, 'warm')).some((name) => !name.startsWith('.'));
  while (!ready()) await sleep(100);
}

carryOut(async (life, order) => {
  const service = await startRealService(life, order, { VAUBAN_QEMU_WARM: 'on' });
  const parts = await rivalParts(order);
  const noLibvirt = whyNoLibvirt();
  const racers = [ours(service, []), bare(parts)];
  if (!noLibvirt) racers.push(await libvirt(life, order, parts));
  // Does not count, because some things are read for the first time or made only once.
  await inTurn(1, racers);
  await untilTemplate(service.dataDir);
  const [mine, script, install] = await inTurn(ROUNDS, racers);
  const about = 'warm create to SSH ÷ virt-install';
  return [
    atMostTimes('warm create to SSH ÷ a bare script', MAXIMUM_OVER_BARE, mine!, script!),
    noLibvirt ? leftOut(about, noLibvirt) : atMostTimes(about, MAXIMUM_OVER_LIBVIRT, mine!, install!),
  ];
});
