import { HostWatch } from '../../server/cluster/host-watch.ts';
import { sql } from '../../server/db/database.ts';
import { creditLostHosts } from '../../server/jobs/timers/credit-lost-hosts.ts';
import { Failures } from '../../server/platform/failures.ts';
import { SerialQueue } from '../../server/platform/serial-queue.ts';
import type { Installation } from '../jobs/support/installation.ts';
import type { Operation } from './operations.ts';

export const HOSTS = [{ name: 'a' }, { name: 'b' }];

const REFUSALS = new Set(['compute_unavailable', 'capacity_unavailable']);

/**
 * Returns whether the code refuses an operation that needs an unreachable host. Operations that need no host, or a
 * reachable one, never get such a code.
 */
export const isOutOfReach = (code: string | undefined) => code !== undefined && REFUSALS.has(code);

interface Loss {
  /** Guests on the host when its loss was noticed. */
  guests: readonly string[];
  /** The recorded time of the loss, once it is recorded. */
  at: Date | undefined;
}

/** The machines that VMs run on. At most one is unreachable at a time. */
export class Hosts {
  #lost: Loss | undefined;
  #isLooking = false;
  #changes = 0;
  /**
   * Only one node at a time looks at the hosts, as only the leader does in reality: the findings of two nodes could be
   * recorded in either order.
   */
  readonly #turn = new SerialQueue();

  get isOneLost(): boolean {
    return this.#lost !== undefined;
  }

  /** True while a host is lost, and while one is being lost or found. */
  get mayBeOutOfReach(): boolean {
    return this.isOneLost || this.#isLooking;
  }

  /** Number of looks that began or ended. */
  get changes(): number {
    return this.#changes;
  }

  /** Makes a host unreachable, which `node` notices. Returns false if one is lost already. */
  lose({ services }: Installation, hostId: string): Promise<boolean> {
    return this.#look(async () => {
      if (this.#lost) return false;
      const { compute, db } = services;
      this.#lost = { guests: [], at: undefined };
      await compute.outages!.lose(hostId);
      await new HostWatch(services).run();
      const [host] = await db.query<{ at: Date }>(sql`select lost_at as at from hosts where id = ${hostId}`);
      const guests = (await compute.list()).filter((guest) => guest.hostId === hostId);
      this.#lost = { guests: guests.map(({ id }) => id), at: host!.at };
      return true;
    });
  }

  /** Makes all hosts reachable again, including one that was lost by a killed process. */
  find({ services }: Installation): Promise<void> {
    return this.#look(async () => {
      const { clock, compute } = services;
      const foundAt = clock.now();
      for (const { id } of await compute.hosts()) await compute.outages!.find(id);
      await new HostWatch(services).run();
      if (this.#lost?.at && foundAt > this.#lost.at) await requireReports(services, this.#lost);
      this.#lost = undefined;
    });
  }

  #look<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn.run(async () => {
      this.#isLooking = true;
      this.#changes++;
      try {
        return await work();
      } finally {
        this.#isLooking = false;
        this.#changes++;
      }
    });
  }
}

/** Each VM that was on a lost host the whole time has exactly one outage from then on, to be credited. */
async function requireReports({ db }: Installation['services'], { guests, at }: Loss): Promise<void> {
  const wrong = await db.query<{ id: string; reports: number }>(sql`
    select id, (select count(*)::int from outages where vm_id = vms.id and actor = 'service' and from_at = ${at}) as reports
    from vms where id = any(${guests}::text[]) and deleted_at is null and provisioned_at <= ${at}`);
  for (const { id, reports } of wrong)
    if (reports !== 1) throw new Error(`${id} has ${reports} reports of its host, which was lost at ${at}`);
}

const loseHost: Operation = async (world, prng) => {
  const node = world.someNode();
  const host = prng.pick(await node.services.compute.hosts())!;
  return (await world.hosts.lose(node, host.id)) ? 'ok' : 'one_is_lost';
};

const findHost: Operation = async (world) => {
  if (!world.hosts.isOneLost) return 'none_is_lost';
  await world.hosts.find(world.someNode());
  return 'ok';
};

/**
 * The service does this regularly. Losses that have not been credited yet are credited when the world comes to rest.
 */
const creditLosses: Operation = async (world) => {
  const { services } = world.someNode();
  await creditLostHosts(services, new Failures(services));
  return 'ok';
};

export const HOST_OPERATIONS = {
  loseHost: { weight: 0.8, run: loseHost },
  findHost: { weight: 5, run: findHost },
  creditLosses: { weight: 0.2, run: creditLosses },
} as const;
