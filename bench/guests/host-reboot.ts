// How guests come up again after a reboot of their host: all of them, and no more at once than its cores bear.
import { availableParallelism, freemem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { overheadOf } from '../../server/compute/qemu/capacity.ts';
import { killMachines } from '../../test/qemu/support/machines.ts';
import { atMost, type Claim } from '../report.ts';
import type { Bought, startRealService } from './service.ts';

type RealService = Awaited<ReturnType<typeof startRealService>>;

/** Of the memory that is free, what guests may take here. */
const SHARE = 0.9;
const MEGABYTE = 2 ** 20;
const LOOK_EVERY_MS = 1_000;

/** How many booted guests this machine has memory for now: they share none of it, as clones do. */
export function guestsThatFit(ramMb: number): number {
  return Math.floor((SHARE * freemem()) / ((ramMb + overheadOf('tcg')(ramMb).ramMb) * MEGABYTE));
}

/** From the service's decision to start a guest until it has booted, in epoch milliseconds. */
interface Boot {
  from: number;
  to: number;
}

/**
 * Ends the machines of all guests while the service is away, as a reboot of the host does, and waits until all have
 * booted that are wanted on: at most `fitting`, the others are stopped before.
 */
export async function rebootHost(service: RealService, vms: Bought[], fitting: number): Promise<Claim[]> {
  const wanted = vms.slice(0, fitting);
  for (const vm of vms.slice(fitting)) await service.forceStop(vm);
  let startedAt = 0;
  await service.restart(async () => {
    await killMachines(service.dataDir);
    startedAt = Date.now();
  });
  const boots: Boot[] = [];
  for (const vm of wanted) boots.push(await bootOf(service, vm, startedAt));
  const seconds = (Math.max(...boots.map(({ to }) => to)) - startedAt) / 1000;
  const stopped = vms.length - wanted.length;
  const detail = [
    `${wanted.length} guests, all have booted after ${seconds.toFixed(0)} s`,
    ...(stopped > 0 ? [`${stopped} more stay off: this machine has no memory for them`] : []),
  ];
  const about = 'boots under way at once after a reboot of the host';
  return [atMost(about, availableParallelism(), mostAtOnce(boots), 'boots', detail.join('; '))];
}

/** Resolves when the VM has booted since an instant. */
async function bootOf({ customer }: RealService, { id }: Bought, since: number): Promise<Boot> {
  const from = new Date(since).toISOString();
  for (;;) {
    const events: { type: string; created_at: string }[] = await customer.ask(
      'GET',
      `/v1/vm/${id}/events?from=${from}`,
    );
    const at = (type: string) => {
      const event = events.find((event) => event.type === type);
      return event && Date.parse(event.created_at);
    };
    const [begin, end] = [at('vm.start_requested'), at('guest.ready')];
    if (begin !== undefined && end !== undefined) return { from: begin, to: end };
    await sleep(LOOK_EVERY_MS);
  }
}

/** The most boots that were under way at the same instant; one that ends at it makes room for the next. */
function mostAtOnce(boots: Boot[]): number {
  const under = (instant: number) => boots.filter(({ from, to }) => from <= instant && instant < to).length;
  return Math.max(...boots.map(({ from }) => under(from)));
}
