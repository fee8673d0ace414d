import type { HostInfo } from '../../compute/driver.ts';
import { execute, type Queryable, sql } from '../../db/database.ts';
import { hostsWithVmsOf, lockFreeHost, lockHost } from '../../db/queries/hosts/hosts.ts';
import type { Reservation } from '../../db/queries/vms/reservations.ts';
import { ApiError, capacityUnavailable } from '../../platform/errors.ts';
import { pickSome } from '../../platform/pick-some.ts';
import { type KnownHost, knownHosts, takesNew, zonesOn } from './known-host.ts';
import { isBounded, Supply } from './supply.ts';

export interface Place {
  hostId: string;
  zone: string;
}

/** A guest that needs a host. */
export interface Homeless {
  accountId: string;
  size: Reservation;
  /** Any of these zones; the first one if the host is in several. */
  zones: readonly string[];
  /** A host to exclude, because the guest is already there. */
  except?: string;
  /** A host to use only if no other has capacity, because the guest has just failed to start there. */
  lastResort?: string;
}

/**
 * The number of hosts that are compared. If there are more, a random sample is taken, whose best host is hardly ever
 * worse than most. So the work stays constant even with a thousand hosts, and simultaneous orders look at different
 * ones.
 */
const SAMPLE = 16;

/**
 * Chooses a host for a guest and locks its row until the transaction ends, so that the capacity reserved next is not
 * sold twice. Prefers hosts with capacity that have none of the account's VMs, then the emptiest. `reported` is the
 * engine's answer from before the transaction, `taking` are the hosts that take new VMs. Must be called last: see
 * `lock-order.ts`. Throws `capacity_unavailable`, which rolls back the whole order, if no host has capacity.
 */
export async function placeGuest(
  db: Queryable,
  reported: readonly HostInfo[] | ApiError,
  taking: ReadonlySet<string>,
  guest: Homeless,
): Promise<Place> {
  if (reported instanceof ApiError) throw reported;
  const open = knownHosts(reported, taking).filter(
    (host) => host.takesNew && host.id !== guest.except && zonesOn(host, guest.zones).length > 0,
  );
  const ranked = await rankHosts(db, open, guest);
  const host = open.every(({ capacity }) => !isBounded(capacity))
    ? ranked[0]
    : await holdHost(db, ranked, guest.size);
  if (!host) throw capacityUnavailable('no host accepts a VM of this size');
  return { hostId: host.id, zone: zonesOn(host, guest.zones)[0]! };
}

/** Returns hosts with capacity, best first. Accurate at this moment, but that can change until one is locked. */
async function rankHosts(db: Queryable, open: readonly KnownHost[], guest: Homeless): Promise<KnownHost[]> {
  // The capacity of a single host is checked once it is locked.
  if (open.length <= 1) return [...open];
  const taken = await hostsWithVmsOf(db, guest.accountId);
  const free = open.filter(({ id }) => !taken.has(id) && id !== guest.lastResort);
  const sample = pickSome(free.length > 0 ? free : open, SAMPLE);
  const ranked = await rank(db, sample, taken, guest);
  if (ranked.length > 0 || sample.length === open.length) return ranked;
  return rank(db, open, taken, guest);
}

async function rank(
  db: Queryable,
  hosts: readonly KnownHost[],
  taken: ReadonlySet<string>,
  { size, lastResort }: Homeless,
): Promise<KnownHost[]> {
  const supply = await Supply.read(db, hosts);
  const weighed = supply.hosts
    .filter((host) => !host.refusal(size))
    .map((one) => ({
      host: one.host,
      isLast: one.host.id === lastResort,
      isTaken: taken.has(one.host.id),
      load: one.loadWith(size),
      guests: one.guests,
    }));
  weighed.sort(
    (a, b) =>
      Number(a.isLast) - Number(b.isLast) ||
      Number(a.isTaken) - Number(b.isTaken) ||
      a.load - b.load ||
      a.guests - b.guests,
  );
  return weighed.map(({ host }) => host);
}

/**
 * Locks and returns the first of these hosts that still has capacity: preferably one that is not locked, otherwise the
 * best. A host that turns out to be full is unlocked with a savepoint before the next is tried, so that two orders
 * never wait for each other.
 */
async function holdHost(
  db: Queryable,
  ranked: readonly KnownHost[],
  size: Reservation,
): Promise<KnownHost | undefined> {
  const left = new Map(ranked.map((host) => [host.id, host]));
  const isChoice = left.size > 1;
  while (left.size > 0) {
    if (isChoice) await execute(db, sql`savepoint host`);
    const ids = [...left.keys()];
    const free = ids.length > 1 ? await lockFreeHost(db, ids) : undefined;
    const held = free ?? (await lockHost(db, ids[0]!));
    const host = left.get(held?.id ?? ids[0]!)!;
    left.delete(host.id);
    if (held && takesNew(held) && !(await Supply.read(db, [host])).on(host.id)!.refusal(size)) return host;
    if (isChoice) await execute(db, sql`rollback to savepoint host`);
  }
  return undefined;
}
