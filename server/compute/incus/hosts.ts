import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import {
  addUp,
  CapacityError,
  ComputeUnavailableError,
  type GuestSize,
  type HostCapacity,
  type HostInfo,
  NO_RESOURCES,
  type Resources,
  resourcesOf,
  shortageOf,
  withOverhead,
} from '../driver.ts';
import { IncusError } from './client.ts';
import { footprintOf, GIGABYTE } from './instance.ts';
import type { Instances } from './instances.ts';
import type { MemberInfo, Members } from './members.ts';

export interface HostsParts {
  clock: Clock;
  members: Members;
  instances: Instances;
  pool: string;
  /** Virtual CPUs for each CPU of a host. */
  cpuOvercommit: number;
  /** Codes of the catalog's zones in which hosts of no group are; null is every one. */
  zones: readonly string[] | null;
}

const MEGABYTE = 1_048_576;
/** Of each host, left to itself and Incus. */
const HOST_MEMORY_MB = 2_048;
/** Of the pool, left free: a full one stops every guest that writes. */
const POOL_SHARE = 0.9;
/** Of QEMU beside its guest's memory, and its page tables as a share of that. A container takes less. */
const PROCESS_MB = 96;
const PAGE_TABLES_SHARE = 1 / 256;
/** What a host is made of changes seldom. */
const FRESH_MS = 30_000;
/** The group that every member is in unless it was taken out of it. */
export const EVERYONE = 'default';
/** Pools that all members share. */
const SHARED_POOLS = ['ceph', 'cephfs', 'linstor', 'lvmcluster'];
/** In the configuration of the cluster: it tells one cluster from another. */
const CLUSTER_KEY = 'user.vauban.cluster';

/** After the id of a cluster was written, until it is read again. */
const SETTLE_MS = 500;

/** What Incus takes for a guest of that much memory beside it. */
export const overhead: HostCapacity['overhead'] = (ramMb) => ({
  ramMb: PROCESS_MB + Math.ceil(ramMb * PAGE_TABLES_SHARE),
  diskGb: 0,
});

/** The members of the cluster as hosts: which they are, and what guests of each can have. */
export class Hosts {
  readonly #parts: HostsParts;
  readonly #totals = new Map<string, { at: number; total: Resources }>();
  #cluster: Promise<string> | undefined;

  constructor(parts: HostsParts) {
    this.#parts = parts;
  }

  /** Names the cluster, the same for all that ask it; made when first asked for. */
  cluster(): Promise<string> {
    this.#cluster ??= this.#findCluster().catch((error) => {
      this.#cluster = undefined;
      throw error;
    });
    return this.#cluster;
  }

  /** The id of a member as a host. */
  async idOf(member: string): Promise<string> {
    return `incus:${await this.cluster()}:${member}`;
  }

  /** The member of that id. */
  async memberOf(hostId: string): Promise<string> {
    const prefix = await this.idOf('');
    if (!hostId.startsWith(prefix)) throw new ComputeUnavailableError(`this cluster has no host ${hostId}`);
    return hostId.slice(prefix.length);
  }

  /** {@link ComputeUnavailableError} where the cluster does not name its members: without a quorum it has many words for that. */
  async all(): Promise<HostInfo[]> {
    const members = await this.#parts.members.all().catch((error) => {
      if (!(error instanceof IncusError)) throw error;
      throw new ComputeUnavailableError(`the cluster does not name its members: ${error.message}`, {
        cause: error,
      });
    });
    return Promise.all(members.map((member) => this.#infoOf(member, members.length)));
  }

  /** Throws {@link CapacityError} where a guest of this size has no room on a member beside all but the instance `but`. */
  async requireRoom(member: string, size: GuestSize, but: string): Promise<void> {
    const { members, instances } = this.#parts;
    const all = await members.all();
    const total = await this.#totalOf(member, all.length);
    const others = (await instances.list()).filter(
      ({ name, location }) => location === member && name !== but,
    );
    const cost = (resources: Resources) => withOverhead(resources, { overhead });
    const used = addUp(others.map((instance) => cost(footprintOf(instance))));
    const shortage = shortageOf(total, used, cost(resourcesOf(size)));
    if (!shortage) return;
    const { resource, left, asked } = shortage;
    throw new CapacityError(`host ${member} has ${left} ${resource} left, not ${asked}`);
  }

  async #infoOf(member: MemberInfo, count: number): Promise<HostInfo> {
    const { server_name: name, status } = member;
    const isUp = await this.#parts.members.isUp(member);
    const total = await this.#totalOf(name, count).catch(() => undefined);
    // One that was evacuated by hand takes nothing.
    const open = status === 'Online' ? total : NO_RESOURCES;
    return {
      id: await this.idOf(name),
      name,
      reachable: isUp && total !== undefined,
      capacity: {
        total: open ?? this.#totals.get(name)?.total ?? NO_RESOURCES,
        overhead,
        zones: this.#zonesOf(member),
      },
    };
  }

  /** A member's cluster groups are the zones that it is in. */
  #zonesOf({ groups }: MemberInfo): readonly string[] | null {
    const named = groups.filter((group) => group !== EVERYONE);
    return named.length > 0 ? named : this.#parts.zones;
  }

  async #totalOf(member: string, count: number): Promise<Resources> {
    const { clock, members, pool, cpuOvercommit } = this.#parts;
    const now = clock.now().getTime();
    const known = this.#totals.get(member);
    if (known && now - known.at < FRESH_MS) return known.total;
    const [{ metadata: host }, { metadata: disks }, { metadata: kind }] = await Promise.all([
      members.at(member, 'GET', `/1.0/resources?target=${member}`),
      members.at(member, 'GET', `/1.0/storage-pools/${pool}/resources?target=${member}`),
      members.at(member, 'GET', `/1.0/storage-pools/${pool}`),
    ]);
    const sharers = SHARED_POOLS.includes(kind.driver) ? count : 1;
    const total = {
      vcpu: host.cpu.total * cpuOvercommit,
      cores: 0,
      ramMb: Math.max(0, Math.floor(host.memory.total / MEGABYTE) - HOST_MEMORY_MB),
      diskGb: Math.floor((disks.space.total * POOL_SHARE) / GIGABYTE / sharers),
    };
    this.#totals.set(member, { at: now, total });
    return total;
  }

  async #findCluster(): Promise<string> {
    const { members } = this.#parts;
    for (;;) {
      const known = await readClusterId(members);
      if (known !== undefined) return known;
      const id = randomUUID();
      await members.any('PATCH', '/1.0', { config: { [CLUSTER_KEY]: id } });
      // Of two that come at once the later one is read by both.
      await this.#parts.clock.sleep(SETTLE_MS);
    }
  }
}

/** What names a cluster; undefined where it has not been named, or shows that to others alone. */
export async function readClusterId(members: Pick<Members, 'any'>): Promise<string | undefined> {
  const { config } = (await members.any('GET', '/1.0')).metadata;
  return config?.[CLUSTER_KEY] || undefined;
}

/** Whether the engine says that there is none of it. */
export const isAbsent = (error: unknown) => error instanceof IncusError && error.code === 404;
