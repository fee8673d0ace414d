import { canonicalIp } from '../../../platform/cidr.ts';
import { InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import type { NetworkPolicy } from '../../driver.ts';
import type { NetworkGuest } from '../network/network.ts';
import { tapName } from './names.ts';

export interface Forward {
  publicIp: string;
  protocol: 'tcp' | 'udp';
  externalPort: number;
  internalIp: string;
  internalPort: number;
}

/** The table's data about a guest, apart from its rules. All its set and map elements are derived from this. */
export interface Card {
  tap: string;
  mac: string;
  /** In the kernel's spelling. */
  addresses: string[];
  forwards: Forward[];
}

export const isV6 = (address: string) => address.includes(':');

/**
 * Returns a guest's card with the forwards of its policy. Throws {@link InvalidArgumentError} if a forward leads to an
 * address that is not the guest's.
 */
export function cardOf(guest: NetworkGuest, policy: NetworkPolicy): Card {
  const addresses = guest.addresses.map(({ address }) => canonicalIp(address));
  const forwards = policy.portForwards.flatMap(({ protocol, publicIp, ...ports }, index): Forward[] => {
    if (!addresses.includes(ports.internalIp)) {
      throw new InvalidArgumentError(
        `policy.portForwards.${index}.internalIp: is not an address of the guest`,
      );
    }
    const protocols = protocol === 'tcp_udp' ? (['tcp', 'udp'] as const) : [protocol];
    return protocols.map((one) => ({ ...ports, publicIp, protocol: one }));
  });
  return { tap: tapName(guest.id), mac: guest.mac, addresses, forwards };
}

/** Returns a forward's key in the table's map. */
export function forwardKey({ publicIp, protocol, externalPort }: Forward): string {
  return `${publicIp} . ${protocol} . ${externalPort}`;
}

/** Returns the elements of the table's sets and maps that belong to a card, each as nft writes it after `add element`. */
export function elementsOf({ tap, mac, addresses, forwards }: Card): string[] {
  const v4 = addresses.filter((address) => !isV6(address));
  const v6 = addresses.filter(isV6);
  return [
    `inet vauban cards { ${tap} . ${mac} }`,
    ...v4.map((address) => `inet vauban cards4 { ${tap} . ${mac} . ${address} }`),
    ...v6.map((address) => `inet vauban cards6 { ${tap} . ${mac} . ${address} }`),
    // A guest that probes whether an address is taken does not have one yet.
    ...[...v4, '0.0.0.0'].map((address) => `arp vauban cards4 { ${tap} . ${mac} . ${address} }`),
    `inet vauban hairpin { ${tap} . ${tap} }`,
    `inet vauban rules_in { ${tap} : jump in-${tap} }`,
    `inet vauban rules_out { ${tap} : jump out-${tap} }`,
    `inet vauban speeds { ${tap} : jump speed-${tap} }`,
    `inet vauban traffic_in { ${tap} : in-${tap} }`,
    `inet vauban traffic_out { ${tap} : out-${tap} }`,
    `inet vauban refused_connections { ${tap} : connections-${tap} }`,
    `inet vauban refused_packets { ${tap} : packets-${tap} }`,
    ...forwards.map(
      (forward) =>
        `inet vauban forwards { ${forwardKey(forward)} : ${forward.internalIp} . ${forward.internalPort} }`,
    ),
  ];
}
