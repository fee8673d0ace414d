import { canonicalIp } from '../../../platform/cidr.ts';
import { elementsOf, list } from '../../../platform/nftables/listing.ts';
import type { RefusedPackets } from '../../driver.ts';
import type { NetworkReading } from '../network/network.ts';
import type { Count } from './batch.ts';
import type { Card, Forward } from './card.ts';
import { unavailable } from './commands.ts';
import { tapName } from './names.ts';

type Concat<T extends unknown[]> = { concat: T };
type ForwardElement = [Concat<[string, 'tcp' | 'udp', number]>, Concat<[string, number]>];
const TABLE = ['inet', 'vauban'];

/**
 * Reads the guests' cards in the table from the kernel, by interface name: they are stored nowhere else. Returns none
 * if the table does not exist.
 */
export async function readCards(): Promise<Map<string, Card>> {
  const [v4, v6, plain, forwards] = await Promise.all([
    elements<Concat<string[]>>('set', 'cards4'),
    elements<Concat<string[]>>('set', 'cards6'),
    elements<Concat<string[]>>('set', 'cards'),
    elements<ForwardElement>('map', 'forwards'),
  ]);
  const cards = new Map<string, Card>();
  for (const {
    concat: [tap, mac],
  } of plain) {
    cards.set(tap!, { tap: tap!, mac: mac!, addresses: [], forwards: [] });
  }
  const owners = new Map<string, Card>();
  for (const {
    concat: [tap, , address],
  } of [...v4, ...v6]) {
    const card = cards.get(tap!);
    if (!card) continue;
    card.addresses.push(canonicalIp(address!));
    owners.set(canonicalIp(address!), card);
  }
  for (const forward of forwards.map(forwardOf)) owners.get(forward.internalIp)?.forwards.push(forward);
  return cards;
}

/** Returns all counters of the table by name; none if the table does not exist. */
export async function readCounts(): Promise<Map<string, Count>> {
  const items = (await list('counters', 'table', ...TABLE).catch(unavailable)) ?? [];
  return new Map(
    items.flatMap(({ counter }) =>
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

/** Returns the elements of one of the table's sets or maps; none if it does not exist. */
async function elements<Element>(kind: 'set' | 'map', name: string): Promise<Element[]> {
  const items = await list(kind, ...TABLE, name).catch(unavailable);
  return elementsOf<Element>(items ?? [], name);
}

function forwardOf([{ concat: key }, { concat: target }]: ForwardElement): Forward {
  return {
    publicIp: key[0],
    protocol: key[1],
    externalPort: key[2],
    internalIp: target[0],
    internalPort: target[1],
  };
}
