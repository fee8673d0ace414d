// The service's own memory and CPU time for idle guests, without the guests' own; how soon it has reattached to all of
// them after a restart; and how they start again after a reboot of the host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machines } from '../../test/qemu/support/machines.ts';
import { residentMib } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { haltingTemplate } from './halting-image.ts';
import { rebootHost } from './host-reboot.ts';
import { carryOut, makeDirectory } from './inside.ts';
import { type Bought, startRealService } from './service.ts';

const GUESTS = Number(process.env.VAUBAN_BENCH_GUESTS ?? 200);
/** More than enough for a guest that halts. */
const RAM_MB = 16;
/** Guests created at the same time: more would only wait for each other. */
const TOGETHER = 4;
const MAXIMUM_MIB = 1;
/** Percent of one core, with each guest polled for its readings every ten seconds. */
const MAXIMUM_CPU_PERCENT = 0.5;
/** Until the service has reattached to its machine, which answers within milliseconds. */
const MAXIMUM_ADOPTION_SECONDS = 0.1;
/** Six readings of every guest. */
const WATCHED_SECONDS = 60;
const TICKS_A_SECOND = 100;

type RealService = Awaited<ReturnType<typeof startRealService>>;

interface Usage {
  /** Memory fluctuates, so both extremes are kept for the less favourable comparison. */
  leastMib: number;
  mostMib: number;
  cpuPercent: number;
  /** Total of the guests' machines. */
  machines: { mib: number; cpuPercent: number };
}

async function watch(service: RealService): Promise<Usage> {
  const pid = service.pid();
  const guests = await machines(service.dataDir);
  const cpuOfGuests = () => guests.reduce((sum, guest) => sum + cpuSeconds(guest), 0);
  const [before, guestsBefore] = [cpuSeconds(pid), cpuOfGuests()];
  const samples: number[] = [];
  for (let second = 0; second < WATCHED_SECONDS; second++) {
    await sleep(1_000);
    samples.push(residentMib(pid));
  }
  const percent = (seconds: number) => (seconds / WATCHED_SECONDS) * 100;
  const cpuPercent = percent(cpuSeconds(pid) - before);
  const mib = guests.reduce((sum, guest) => sum + shareMib(guest), 0);
  const theirs = { mib, cpuPercent: percent(cpuOfGuests() - guestsBefore) };
  return { leastMib: Math.min(...samples), mostMib: Math.max(...samples), cpuPercent, machines: theirs };
}

/** Returns a process's memory, including its proportional share of shared pages. */
function shareMib(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1];
  return Number(kib) / 1024;
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function makeGuests(service: RealService, count: number): Promise<Bought[]> {
  const vms = await Promise.all(Array.from({ length: count }, (_, n) => service.buy(`idle-${n}`, 'halting')));
  await Promise.all(vms.map(service.running));
  return vms;
}

function usageClaims(without: Usage, present: Usage): Claim[] {
  const mib = (present.mostMib - without.leastMib) / GUESTS;
  const cpu = (present.cpuPercent - without.cpuPercent) / GUESTS;
  const memory = `${without.leastMib.toFixed(0)} MiB without, ${present.mostMib.toFixed(0)} with ${GUESTS}`;
  const load = `${without.cpuPercent.toFixed(1)} % without, ${present.cpuPercent.toFixed(1)} with ${GUESTS}`;
  const { machines } = present;
  const theirs = `their machines take ${machines.cpuPercent.toFixed(0)} % and ${machines.mib.toFixed(0)} MiB`;
  return [
    atMost('service memory of an idle VM', MAXIMUM_MIB, mib, 'MiB', memory),
    atMost('service CPU of an idle VM', MAXIMUM_CPU_PERCENT, cpu, '% of a core', `${load}; ${theirs}`),
  ];
}

/**
 * Returns the seconds from the start of the service's process until it has answered about each guest, which shows that
 * it has reattached to the machine.
 */
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
  const templates = haltingTemplate(join(makeDirectory(order), 'disk.raw'));
  const service = await startRealService(life, order, {}, { templates, plan: { ram_mb: RAM_MB } });
  const aloneSeconds = await secondsToStart(service, []);
  // The first guests load modules, statements and compiled code, which stay in memory.
  for (const vm of await makeGuests(service, TOGETHER)) await service.remove(vm);
  const without = await watch(service);
  const vms: Bought[] = [];
  while (vms.length < GUESTS)
    vms.push(...(await makeGuests(service, Math.min(TOGETHER, GUESTS - vms.length))));
  const present = await watch(service);
  return [
    ...usageClaims(without, present),
    adoptionClaim(aloneSeconds, await secondsToStart(service, vms)),
    await rebootHost(service, vms),
  ];
});
