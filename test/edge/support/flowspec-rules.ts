import { order } from '../../../server/edge/flowspec/components.ts';

// Translates a router's rules, as `gobgp -j global rib` prints them, into nft rules that do the same.

interface Item {
  op: number;
  value: number;
}
interface Part {
  type: number;
  value: { prefix: string } | Item[];
}
/** A rule with its rate in bytes per second. */
export interface ReceivedRule {
  parts: Part[];
  rate: number;
}

const AND = 0x40;

/** Returns nft rules that do what a router does, in its order of evaluation. */
export function nftOf(rules: ReceivedRule[]): string[] {
  return rules
    .toSorted((a, b) => order(componentsOf(a), componentsOf(b)))
    .flatMap(({ parts, rate }) => {
      const family = prefixOf(parts.find(({ type }) => type === 1)!).includes(':') ? 6 : 4;
      return conditionsOf(parts, family).flatMap((condition) => {
        if (rate === 0) return [`${condition} drop`];
        return [
          `${condition} limit rate over ${rate} bytes/second burst 65536 bytes drop`,
          `${condition} accept`,
        ];
      });
    });
}

const prefixOf = ({ value }: Part) => (value as { prefix: string }).prefix;

function conditionsOf(parts: Part[], family: 4 | 6): string[] {
  const ip = family === 4 ? 'ip' : 'ip6';
  const words = parts.map((part) => {
    const items = part.value as Item[];
    switch (part.type) {
      case 1:
        return `${ip} daddr ${prefixOf(part)}`;
      case 2:
        return `${ip} saddr ${prefixOf(part)}`;
      case 3:
        return `meta l4proto { ${ranges(items)} }`;
      case 5:
        return `th dport { ${ranges(items)} }`;
      case 6:
        return `th sport { ${ranges(items)} }`;
      case 9:
        return items.map(({ op, value }) => bits('tcp flags', op, value)).join(' ');
      case 10:
        return `${ip} length { ${ranges(items, family === 4 ? 0 : 40)} }`;
      case 12:
        return fragments(items, family);
      default:
        throw new Error(`a router does not know type ${part.type}`);
    }
  });
  // For other protocols the kernel would read any bytes as ports, but a router sees no ports there (RFC 8955, 4.2.2.4
  // to 4.2.2.6).
  if (parts.some(({ type }) => type === 5 || type === 6)) words.unshift('meta l4proto { 6, 17 }');
  const asksHeader = parts.some(({ type }) => [5, 6, 9].includes(type));
  const kinds = family === 4 ? ['ip frag-off & 0x1fff == 0'] : ['exthdr frag missing', 'frag frag-off 0'];
  return (asksHeader ? kinds : ['']).map((kind) => [kind, ...words].join(' ').trim());
}

/** Alternatives, each a number or a range. */
function ranges(items: Item[], less = 0): string {
  const groups: [number, number][] = [];
  for (const { op, value } of items) {
    const bounds: [number, number] = [
      op & 0x02 || !(op & 0x04) ? value : 0,
      op & 0x04 || !(op & 0x02) ? value : 65_535,
    ];
    if (!(op & 0x01)) throw new Error('bounds without the value itself are not announced');
    const last = groups.at(-1);
    if (op & AND && last)
      groups[groups.length - 1] = [Math.max(last[0], bounds[0]), Math.min(last[1], bounds[1])];
    else groups.push(bounds);
  }
  // An nft set requires ranges that are neither adjacent nor overlapping.
  const merged: [number, number][] = [];
  for (const [min, max] of groups.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && min <= last[1] + 1) last[1] = Math.max(last[1], max);
    else merged.push([min, max]);
  }
  return merged.map(([min, max]) => `${Math.max(0, min - less)}-${Math.max(0, max - less)}`).join(', ');
}

/** A test of flags: all of them or any of them, or the negation. */
function bits(field: string, op: number, value: number): string {
  const isAll = (op & 0x01) !== 0;
  const isNot = (op & 0x02) !== 0;
  if (isAll) return `${field} & ${value} ${isNot ? '!=' : '=='} ${value}`;
  return `${field} & ${value} ${isNot ? '==' : '!='} 0`;
}

function fragments([item]: Item[], family: 4 | 6): string {
  const only = (item!.op & 0x02) === 0;
  if (family === 6) return `exthdr frag ${only ? 'exists' : 'missing'}`;
  return `ip frag-off & 0x3fff ${only ? '!=' : '=='} 0`;
}

function componentsOf({ parts }: ReceivedRule) {
  return parts.map(({ type, value }) => {
    if (!Array.isArray(value)) {
      const [address, length] = value.prefix.split('/') as [string, string];
      const digits = address.includes(':') ? [] : address.split('.').map(Number);
      const network = digits.map((byte) => byte.toString(2).padStart(8, '0')).join('');
      return { type, value: Buffer.from(value.prefix), network: network.slice(0, Number(length)) };
    }
    const bytes = value.flatMap(({ op, value: number }) =>
      number > 0xff ? [op, number >> 8, number & 0xff] : [op, number],
    );
    return { type, value: Buffer.from(bytes) };
  });
}
