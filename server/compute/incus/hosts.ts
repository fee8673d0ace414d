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
  /** Virtual CPUs sold per CPU of a host. */
  cpuOvercommit: number;
  /** Zone codes of the catalog for hosts without a cluster group; null means every zone. */
  zones: readonly string[] | null;
}

const MEGABYTE = 1_048_576;
/** Memory reserved on each host for the host itself and Incus. */
const HOST_MEMORY_MB = 2_048;
/** Usable share of the pool. The rest stays free, because a full pool stops every guest that writes. */
const POOL_SHARE = 0.9;
/**
 * QEMU's memory in addition to its guest's, and its page tables as a share of the guest's memory. A container needs
 * less.
 */
const PROCESS_MB = 96;
const PAGE_TABLES_SHARE = 1 / 256;
/** A host's resources rarely change. */
const FRESH_MS = 30_000;
/** The group that every member belongs to unless it was removed from it. */
export const EVERYONE = 'default';
/** Storage drivers whose pools are shared by all members. */
const SHARED_POOLS = ['ceph', 'cephfs', 'linstor', 'lvmcluster'];
/** Key in the cluster's configuration whose value distinguishes one cluster from another. */
const CLUSTER_KEY = 'user.vauban.cluster';

/** Wait between writing the cluster's id and reading it again. */
const SETTLE_MS = 500;

export const overhead: HostCapacity['overhead'] = (ramMb) => ({
  ramMb: PROCESS_MB + Math.ceil(ramMb * PAGE_TABLES_SHARE),
  diskGb: 0,
});

/** The members of the cluster as hosts, with the capacity that each has for guests. */
export class Hosts {
  readonly #parts: HostsParts;
  readonly #totals = new Map<string, { at: number; total: Resources }>();
  #cluster: Promise<string> | undefined;

  constructor(parts: HostsParts) {
    this.#parts = parts;
  }

  /** Returns the cluster's id, the same for everyone who asks. It is created at the first request. */
  cluster(): Promise<string> {
    this.#cluster ??= this.#findCluster().catch((error) => {
      this.#cluster = undefined;
      throw error;
    });
    return this.#cluster;
  }

  async idOf(member: string): Promise<string> {
    return `incus:${await this.cluster()}:${member}`;
  }

  /** Throws {@link ComputeUnavailableError} if the host is not in this cluster. */
  async memberOf(hostId: string): Promise<string> {
    const prefix = await this.idOf('');
    if (!hostId.startsWith(prefix)) throw new ComputeUnavailableError(`this cluster has no host ${hostId}`);
    return hostId.slice(prefix.length);
  }

  /**
   * Throws {@link ComputeUnavailableError} if the cluster cannot list its members. Incus reports a lost quorum with
   * many different errors, so all of them count.
   */
  async all(): Promise<HostInfo[]> {
    const members = await this.#parts.members.all().catch((error) => {
      if (!(error instanceof IncusError)) throw error;
      throw new ComputeUnavailableError(`the cluster does not list its members: ${error.message}`, {
        cause: error,
      });
    });
    return Promise.all(members.map((member) => this.#infoOf(member, members.length)));
  }

  /**
   * Throws {@link CapacityError} if the member has no space for a guest of this size next to all its instances except
   * `but`.
   */
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
    // A member that an operator has evacuated accepts no guests.
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

  /** A member's cluster groups are its zones. */
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
      // If two nodes write an id at once, both read the one written later.
      await this.#parts.clock.sleep(SETTLE_MS);
    }
  }
}

/** Returns the cluster's id; undefined if it has none yet or hides it from untrusted clients. */
export async function readClusterId(members: Pick<Members, 'any'>): Promise<string | undefined> {
  const { config } = (await members.any('GET', '/1.0')).metadata;
  return config?.[CLUSTER_KEY] || undefined;
}

export const isAbsent = (error: unknown) => error instanceof IncusError && error.code === 404;
