import { canonicalIp } from '../../../platform/cidr.ts';
import { parseListing } from '../../../platform/nft.ts';
import type { RefusedPackets } from '../../driver.ts';
import type { NetworkReading } from '../network/network.ts';
import type { Count } from './batch.ts';
import type { Card, Forward } from './card.ts';
import { run } from './commands.ts';
import { tapName } from './names.ts';

type Concat<T extends unknown[]> = { concat: T };
interface Listing {
  nftables: {
    set?: { elem?: Concat<string[]>[] };
    map?: { elem?: [Concat<[string, 'tcp' | 'udp', number]>, Concat<[string, number]>][] };
    counter?: { table: string; name: string } & Count;
  }[];
}

/**
 * Reads the guests' cards in the table from the kernel, by interface name: they are stored nowhere else. Returns none
 * if the table does not exist.
 */
export async function readCards(): Promise<Map<string, Card>> {
  // Listed one at a time: given two, nft 1.0.6 returns only the last.
  const [v4, v6, plain, forwards] = await Promise.all([
    list(['set', 'inet', 'vauban', 'cards4']),
    list(['set', 'inet', 'vauban', 'cards6']),
    list(['set', 'inet', 'vauban', 'cards']),
    list(['map', 'inet', 'vauban', 'forwards']),
  ]);
  const cards = new Map<string, Card>();
  for (const [tap, mac] of setElements(plain)) {
    cards.set(tap!, { tap: tap!, mac: mac!, addresses: [], forwards: [] });
  }
  const owners = new Map<string, Card>();
  for (const [tap, , address] of [...setElements(v4), ...setElements(v6)]) {
    const card = cards.get(tap!);
    if (!card) continue;
    card.addresses.push(canonicalIp(address!));
    owners.set(canonicalIp(address!), card);
  }
  for (const forward of forwardElements(forwards)) owners.get(forward.internalIp)?.forwards.push(forward);
  return cards;
}

/** Returns all counters of the table by name; none if the table does not exist. */
export async function readCounts(): Promise<Map<string, Count>> {
  const { nftables } = await list(['counters', 'table', 'inet', 'vauban']);
  return new Map(
    nftables.flatMap(({ counter }) =>
      counter?.table === 'vauban'
        ? [[counter.name, { packets: counter.packets, bytes: counter.bytes }] as const]
        : [],
    ),
  );
}

/** Returns guests' traffic and whether all their addresses are routed to them. Guests without counters are left out. */
export function readingsOf(
  ids: string[],
  counts: Map<string, Count>,
  routes: Map<string, string>,
  cards: Map<string, Card>,
): Map<string, NetworkReading> {
  const found = ids.flatMap((id): [string, NetworkReading][] => {
    const incoming = counts.get(`in-${tapName(id)}`);
    const outgoing = counts.get(`out-${tapName(id)}`);
    if (!incoming || !outgoing) return [];
    const { bytes: inBytes, packets: inPackets } = incoming;
    const { bytes: outBytes, packets: outPackets } = outgoing;
    const refusedBy = (limit: keyof RefusedPackets) => counts.get(`${limit}-${tapName(id)}`)?.packets ?? 0;
    const refused = { connections: refusedBy('connections'), packets: refusedBy('packets') };
    const card = cards.get(tapName(id));
    const connected = card?.addresses.every((address) => routes.get(address) === card.tap) ?? false;
    return [[id, { inBytes, inPackets, outBytes, outPackets, refused, connected }]];
  });
  return new Map(found);
}

async function list(what: string[]): Promise<Listing> {
  try {
    return parseListing(await run('nft', ['-j', 'list', ...what])) as Listing;
  } catch (error) {
    if (error instanceof Error && /No such file or directory/.test(error.message)) return { nftables: [] };
    throw error;
  }
}

function setElements({ nftables }: Listing): string[][] {
  return nftables.flatMap(({ set }) => set?.elem?.map(({ concat }) => concat) ?? []);
}

function forwardElements({ nftables }: Listing): Forward[] {
  return nftables.flatMap(
    ({ map }) =>
      map?.elem?.map(([{ concat: key }, { concat: target }]) => ({
        publicIp: key[0],
        protocol: key[1],
        externalPort: key[2],
        internalIp: target[0],
        internalPort: target[1],
      })) ?? [],
  );
}
