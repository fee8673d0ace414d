// Guests start again after a reboot of their host: all of them, and no more at once than its cores can handle.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { killMachines } from '../../test/qemu/support/machines.ts';
import { atMost, type Claim } from '../report.ts';
import type { Bought, startRealService } from './service.ts';

type RealService = Awaited<ReturnType<typeof startRealService>>;

const LOOK_EVERY_MS = 1_000;

/** From the service's decision to start a guest until it has booted, in epoch milliseconds. */
interface Boot {
  from: number;
  to: number;
}

/**
 * Kills the machines of all guests while the service is stopped, as a reboot of the host does, and waits until all have
 * booted.
 */
export async function rebootHost(service: RealService, vms: Bought[]): Promise<Claim> {
  let startedAt = 0;
  await service.restart(async () => {
    await killMachines(service.dataDir);
    startedAt = Date.now();
  });
  const boots: Boot[] = [];
  for (const vm of vms) boots.push(await bootOf(service, vm, startedAt));
  const seconds = (Math.max(...boots.map(({ to }) => to)) - startedAt) / 1000;
  const detail = `all ${vms.length} guests have booted after ${seconds.toFixed(0)} s`;
  const about = 'boots under way at once after a reboot of the host';
  return atMost(about, availableParallelism(), mostAtOnce(boots), 'boots', detail);
}

/** Resolves once the VM has booted after an instant. */
async function bootOf({ customer }: RealService, { id }: Bought, since: number): Promise<Boot> {
  const from = new Date(since).toISOString();
  for (;;) {
    const events: { type: string; created_at: string; metadata: { at?: string } }[] = await customer.ask(
      'GET',
      `/v1/vm/${id}/events?from=${from}`,
    );
    const at = (type: string) => {
      const event = events.find((event) => event.type === type);
      // For the guest's own actions, the event says when they happened.
      return event && Date.parse(event.metadata.at ?? event.created_at);
    };
    const [begin, end] = [at('vm.start_requested'), at('guest.ready')];
    if (begin !== undefined && end !== undefined) return { from: begin, to: end };
    await sleep(LOOK_EVERY_MS);
  }
}

/** Returns the maximum number of simultaneous boots. A boot that ends exactly when another begins does not overlap it. */
function mostAtOnce(boots: Boot[]): number {
  const under = (instant: number) => boots.filter(({ from, to }) => from <= instant && instant < to).length;
  return Math.max(...boots.map(({ from }) => under(from)));
}
