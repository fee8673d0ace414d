// What the service itself spends on guests that do nothing, its own memory and CPU time, not theirs; how soon it has hold
// of them all after a restart; and how they come up again after a reboot of the host.
//   VAUBAN_BENCH_GUESTS=200 npm run bench -- idle-guests
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMib } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { guestsThatFit, rebootHost } from './host-reboot.ts';
import { carryOut } from './inside.ts';
import { type Bought, startRealService } from './service.ts';

const GUESTS = Number(process.env.VAUBAN_BENCH_GUESTS ?? 16);
/** The least that the image boots with. */
const RAM_MB = 96;
/** Made at the same time: more of them only wait for each other. */
const TOGETHER = 4;
const MAXIMUM_MIB = 1;
/** Of one core, where each guest is asked for its readings every ten seconds. */
const MAXIMUM_CPU_PERCENT = 0.5;
/** Until the service has hold of its machine, which answers within milliseconds; the rest is waiting for CPUs that idle guests take without KVM. */
const MAXIMUM_ADOPTION_SECONDS = 0.1;
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

async function makeGuests(service: RealService, count: number): Promise<Bought[]> {
  const vms = await Promise.all(Array.from({ length: count }, (_, n) => service.buy(`idle-${n}`)));
  await Promise.all(vms.map(service.running));
  return vms;
}

function usageClaims(without: Usage, present: Usage): Claim[] {
  const mib = (present.mostMib - without.leastMib) / GUESTS;
  const cpu = (present.cpuPercent - without.cpuPercent) / GUESTS;
  const memory = `${without.leastMib.toFixed(0)} MiB without, ${present.mostMib.toFixed(0)} with ${GUESTS}`;
  const load = `${without.cpuPercent.toFixed(1)} % without, ${present.cpuPercent.toFixed(1)} with ${GUESTS}`;
  return [
    atMost('service memory of an idle VM', MAXIMUM_MIB, mib, 'MiB', memory),
    atMost('service CPU of an idle VM', MAXIMUM_CPU_PERCENT, cpu, '% of a core', load),
  ];
}

/** Seconds from the start of the service's process until it has answered about each guest, of whose machine it has hold then. */
async function secondsToStart(service: RealService, vms: Bought[]): Promise<number> {
  let startedAt = 0;
  await service.restart(async () => {
    startedAt = performance.now();
  });
  await Promise.all(vms.map(({ id }) => service.customer.ask('GET', `/v1/vm/${id}/volumes`)));
  return (performance.now() - startedAt) / 1000;
}

function adoptionClaim(without: number, present: number): Claim {
  const each = (present - without) / GUESTS;
  const detail = `${without.toFixed(1)} s without, ${present.toFixed(1)} s with ${GUESTS}`;
  return atMost(
    'a start of the service is longer for each guest',
    MAXIMUM_ADOPTION_SECONDS,
    each,
    's',
    detail,
  );
}

carryOut(async (life, order) => {
  const fitting = guestsThatFit(RAM_MB);
  // Clones are made sooner, and share what they have not changed of their memory.
  const service = await startRealService(life, order, { VAUBAN_QEMU_WARM: 'on' }, { ram_mb: RAM_MB });
  const aloneSeconds = await secondsToStart(service, []);
  // What the first guests bring with them stays: modules, statements, compiled code.
  for (const vm of await makeGuests(service, TOGETHER)) await service.remove(vm);
  const without = await watch(service.pid());
  const vms: Bought[] = [];
  while (vms.length < GUESTS)
    vms.push(...(await makeGuests(service, Math.min(TOGETHER, GUESTS - vms.length))));
  const present = await watch(service.pid());
  return [
    ...usageClaims(without, present),
    adoptionClaim(aloneSeconds, await secondsToStart(service, vms)),
    ...(await rebootHost(service, vms, fitting)),
  ];
});
