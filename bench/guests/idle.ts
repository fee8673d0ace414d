// What the service itself spends on guests that do nothing: its own memory and CPU time, not theirs.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMib } from '../process.ts';
import { atMost } from '../report.ts';
import { carryOut } from './inside.ts';
import { startRealService } from './service.ts';

const GUESTS = 16;
/** Made at the same time: more of them only wait for each other. */
const TOGETHER = 4;
const MAXIMUM_MIB = 1;
/** Of one core, where each guest is asked for its readings every ten seconds. */
const MAXIMUM_CPU_PERCENT = 0.5;
/** Three readings of every guest. */
const WATCHED_SECONDS = 30;
const TICKS_A_SECOND = 100;

type RealService = Awaited<ReturnType<typeof startRealService>>;

/** What an idle service uses. */
interface Usage {
  /** Memory goes up and down by itself: both ends, so that the worse of two can be taken. */
  leastMib: number;
  mostMib: number;
  cpuPercent: number;
}

async function watch(pid: number): Promise<Usage> {
  const before = cpuSeconds(pid);
  const samples: number[] = [];
  for (let second = 0; second < WATCHED_SECONDS; second++) {
    await sleep(1_000);
    samples.push(residentMib(pid));
  }
  const cpuPercent = ((cpuSeconds(pid) - before) / WATCHED_SECONDS) * 100;
  return { leastMib: Math.min(...samples), mostMib: Math.max(...samples), cpuPercent };
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function makeGuests(service: RealService, count: number) {
  const vms = await Promise.all(Array.from({ length: count }, (_, n) => service.buy(`idle-${n}`)));
  await Promise.all(vms.map(service.running));
  return vms;
}

carryOut(async (life, order) => {
  const service = await startRealService(life, order);
  // What the first guests bring with them stays: modules, statements, compiled code.
  for (const vm of await makeGuests(service, TOGETHER)) await service.remove(vm);
  const without = await watch(service.pid);
  for (let made = 0; made < GUESTS; made += TOGETHER) await makeGuests(service, TOGETHER);
  const present = await watch(service.pid);
  const mib = (present.mostMib - without.leastMib) / GUESTS;
  const cpu = (present.cpuPercent - without.cpuPercent) / GUESTS;
  const memory = `${without.leastMib.toFixed(0)} MiB without, ${present.mostMib.toFixed(0)} with ${GUESTS}`;
  const load = `${without.cpuPercent.toFixed(1)} % without, ${present.cpuPercent.toFixed(1)} with ${GUESTS}`;
  return [
    atMost('service memory of an idle VM', MAXIMUM_MIB, mib, 'MiB', memory),
    atMost('service CPU of an idle VM', MAXIMUM_CPU_PERCENT, cpu, '% of a core', load),
  ];
});
