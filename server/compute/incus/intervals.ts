import ipaddr from 'ipaddr.js';
import { parseCidr } from '../../platform/cidr.ts';

/** Both ends are included. */
export type Interval = readonly [bigint, bigint];

const BITS = { 4: 32, 6: 128 } as const;

/** Returns the addresses of a CIDR and their family. Throws if the text is not a CIDR. */
export function intervalOf(text: string): { family: 4 | 6; range: Interval } {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`not a CIDR: ${text}`);
  const { family, prefix } = cidr;
  const size = 1n << BigInt(BITS[family] - prefix);
  const from = (toNumber(cidr.address) / size) * size;
  return { family, range: [from, from + size - 1n] };
}

export function toNumber(address: string): bigint {
  return BigInt(`0x${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`);
}

/** Formats a range for Incus: as a CIDR if it is one, otherwise as the first and the last address. */
export function spell([from, to]: Interval, family: 4 | 6): string {
  const size = to - from + 1n;
  const isPower = (size & (size - 1n)) === 0n;
  if (isPower && from % size === 0n)
    return `${address(from, family)}/${BITS[family] - (size.toString(2).length - 1)}`;
  return `${address(from, family)}-${address(to, family)}`;
}

function address(number: bigint, family: 4 | 6): string {
  const bytes = Buffer.from(number.toString(16).padStart(BITS[family] / 4, '0'), 'hex');
  return ipaddr.fromByteArray([...bytes]).toString();
}

/**
 * Divides all addresses of a family, in order, into ranges whose addresses all belong to the same of these lists of
 * CIDRs. Yields each range with the indexes of those lists, ascending.
 */
export function* sweep(
  lists: readonly (readonly string[])[],
  family: 4 | 6,
): Generator<[range: Interval, lists: number[]]> {
  const changes = new Map<bigint, Map<number, number>>();
  const change = (at: bigint, list: number, by: number) => {
    const there = changes.get(at) ?? new Map<number, number>();
    there.set(list, (there.get(list) ?? 0) + by);
    changes.set(at, there);
  };
  lists.forEach((cidrs, list) => {
    for (const cidr of cidrs) {
      const { family: own, range } = intervalOf(cidr);
      if (own !== family) continue;
      change(range[0], list, 1);
      change(range[1] + 1n, list, -1);
    }
  });
  const end = 1n << BigInt(BITS[family]);
  const within = lists.map(() => 0);
  let from = 0n;
  const part = (to: bigint): [Interval, number[]] => [
    [from, to],
    within.flatMap((count, list) => (count > 0 ? [list] : [])),
  ];
  for (const at of [...changes.keys()].sort((a, b) => (a < b ? -1 : 1))) {
    if (at > from) yield part(at - 1n);
    from = at;
    for (const [list, by] of changes.get(at)!) within[list]! += by;
  }
  if (from < end) yield part(end - 1n);
}
