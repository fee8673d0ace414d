/** Sets of addresses as ranges, to compute exactly what a firewall lets through. */

export type Family = 4 | 6;

/** A range of addresses, both ends included. */
export interface Range {
  from: bigint;
  to: bigint;
}

/** Ranges of each family, in order, without overlaps or adjacent ranges. */
export type AddressSet = Record<Family, readonly Range[]>;

const BITS = { 4: 32, 6: 128 } as const;
const ALL: Record<Family, Range> = {
  4: { from: 0n, to: (1n << 32n) - 1n },
  6: { from: 0n, to: (1n << 128n) - 1n },
};

export const NOWHERE: AddressSet = { 4: [], 6: [] };
export const EVERYWHERE: AddressSet = { 4: [ALL[4]], 6: [ALL[6]] };
export const FAMILIES = [4, 6] as const;

/** Returns the union of the networks; undefined if one of them is invalid. */
export function setOf(cidrs: readonly string[]): AddressSet | undefined {
  const ranges: Record<Family, Range[]> = { 4: [], 6: [] };
  for (const cidr of cidrs) {
    const network = parseNetwork(cidr);
    if (!network) return undefined;
    ranges[network.family].push(network);
  }
  return { 4: merged(ranges[4]), 6: merged(ranges[6]) };
}

/** Returns the addresses of one family in the set. */
export const only = (family: Family, set: AddressSet): AddressSet =>
  family === 4 ? { 4: set[4], 6: [] } : { 4: [], 6: set[6] };

export const union = (a: AddressSet, b: AddressSet): AddressSet => ({
  4: merged([...a[4], ...b[4]]),
  6: merged([...a[6], ...b[6]]),
});

export const minus = (a: AddressSet, b: AddressSet): AddressSet => ({
  4: without(a[4], b[4]),
  6: without(a[6], b[6]),
});

export const intersection = (a: AddressSet, b: AddressSet): AddressSet => minus(a, minus(a, b));

export const isEmpty = (set: AddressSet) => set[4].length === 0 && set[6].length === 0;

export const isSame = (a: AddressSet, b: AddressSet) =>
  FAMILIES.every(
    (family) =>
      a[family].length === b[family].length &&
      a[family].every((range, i) => range.from === b[family][i]?.from && range.to === b[family][i]?.to),
  );

export const hasAll = (family: Family, set: AddressSet) =>
  set[family].length === 1 && set[family][0]?.from === 0n && set[family][0].to === ALL[family].to;

/** Returns the fewest networks that cover exactly the set, at most `limit` per family, and the number of the others. */
export function networksOf(set: AddressSet, limit = 20): { networks: string[]; more: number } {
  const all = FAMILIES.flatMap((family) => set[family].flatMap((range) => split(family, range)));
  return { networks: all.slice(0, limit), more: Math.max(0, all.length - limit) };
}

function split(family: Family, { from, to }: Range): string[] {
  const networks: string[] = [];
  for (let at = from; at <= to; ) {
    let bits = 0;
    while (
      bits < BITS[family] &&
      at % (1n << BigInt(bits + 1)) === 0n &&
      at + (1n << BigInt(bits + 1)) - 1n <= to
    )
      bits++;
    networks.push(`${format(family, at)}/${BITS[family] - bits}`);
    at += 1n << BigInt(bits);
  }
  return networks;
}

function merged(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const result: Range[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last && range.from <= last.to + 1n) last.to = range.to > last.to ? range.to : last.to;
    else result.push({ ...range });
  }
  return result;
}

function without(ranges: readonly Range[], taken: readonly Range[]): Range[] {
  return ranges.flatMap((range) => {
    const rest: Range[] = [];
    let from = range.from;
    for (const hole of taken) {
      if (hole.to < from) continue;
      if (hole.from > range.to) break;
      if (hole.from > from) rest.push({ from, to: hole.from - 1n });
      from = hole.to + 1n;
    }
    return from <= range.to ? [...rest, { from, to: range.to }] : rest;
  });
}

function parseNetwork(text: string): (Range & { family: Family }) | undefined {
  const [address = '', length, ...rest] = text.trim().split('/');
  const family: Family = address.includes(':') ? 6 : 4;
  const value = family === 4 ? parseIpv4(address) : parseIpv6(address);
  const prefix = length === undefined ? BITS[family] : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (value === undefined || rest.length > 0 || prefix < 0 || prefix > BITS[family]) return undefined;
  const size = 1n << BigInt(BITS[family] - prefix);
  const from = value - (value % size);
  return { family, from, to: from + size - 1n };
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const [head = '', tail, ...rest] = text.split('::');
  if (rest.length > 0) return undefined;
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const left = groups(head);
  const right = groups(tail ?? '');
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array<string>(missing).fill('0'), ...right];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function format(family: Family, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((value >> BigInt(112 - 16 * i)) & 65_535n).toString(16),
  );
  // `::` replaces the longest run of two or more zero groups.
  const runs = [...groups.join(':').matchAll(/(?:^|:)(0(?::0)+)(?=:|$)/g)].map((match) => match[1]!);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (!longest) return groups.join(':');
  const index = groups.join(':').search(new RegExp(`(?:^|:)${longest}(?=:|$)`));
  const text = groups.join(':');
  const start = text[index] === ':' ? index + 1 : index;
  return `${text.slice(0, start).replace(/:$/, '')}::${text.slice(start + longest.length).replace(/^:/, '')}`;
}
