import type { HostInfo } from '../../compute/driver.ts';
import { execute, type Queryable, sql } from '../../db/database.ts';
import { hostsWithVmsOf, lockFreeHost, lockHost } from '../../db/queries/hosts.ts';
import type { Reservation } from '../../db/queries/reservations.ts';
import { ApiError, capacityUnavailable } from '../../platform/errors.ts';
import { pickSome } from '../../platform/pick-some.ts';
import { type KnownHost, knownHosts, takesNew, zonesOn } from './known-host.ts';
import { isBounded, Supply } from './supply.ts';

/** Where a guest is put. */
export interface Place {
  hostId: string;
  zone: string;
}

/** A guest that a host is looked for. */
export interface Homeless {
  accountId: string;
  size: Reservation;
  /** Any of these, the first if the host is in several. */
  zones: readonly string[];
  /** Not there, because it is there already. */
  except?: string;
  /** There only where no other host has room: it has just failed to come to be there. */
  lastResort?: string;
}

/**
 * Hosts that are weighed against each other; of more a sample is taken, the best of which is hardly ever worse than most.
 * So the work stays the same with a thousand hosts, and orders at the same time look at different ones.
 */
const SAMPLE = 16;

/**
 * Chooses a host for a guest and holds its row until the transaction ends, so that what is then reserved is not sold twice.
 * One with room that has none of the account's VMs goes before others, and then the emptiest. `reported` is what the engine
 * said before the transaction opened, `taking` are the hosts that take new VMs. Called last: see `lock-order.ts`. `capacity_unavailable`, which
 * takes the whole order back, where no host has room.
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
  if (!host) throw capacityUnavailable('no host takes a VM of this size');
  return { hostId: host.id, zone: zonesOn(host, guest.zones)[0]! };
}

/** Hosts with room, the best first; exact as of now, which may change until one is held. */
async function rankHosts(db: Queryable, open: readonly KnownHost[], guest: Homeless): Promise<KnownHost[]> {
  // Whether the only one has room is asked once it is held.
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
 * The first of these hosts that can be held and then still has room: one that is not locked, or else the best. A host that
 * has none any more is released before another is tried, by a savepoint, so that of two orders neither waits for what the other holds.
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
