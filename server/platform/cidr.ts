import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A parsed network: its address, including any host bits, and the prefix length. */
export interface Cidr {
  address: string;
  prefix: number;
  family: 4 | 6;
  /** True if bits to the right of the prefix are set: "10.0.0.1/8". */
  hasHostBits: boolean;
}

/** Parses `text` as CIDR in strict notation (no leading zeros, no short forms); undefined if it is not CIDR. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const address = text.slice(0, slash);
  const prefixText = text.slice(slash + 1);
  const version = slash < 0 ? 0 : isIP(address);
  if (version === 0 || !/^(0|[1-9][0-9]{0,2})$/.test(prefixText) || address.includes('%')) return undefined;
  const prefix = Number(prefixText);
  const family = version as 4 | 6;
  if (prefix > (family === 4 ? 32 : 128)) return undefined;
  const network =
    family === 4 ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  const hasHostBits = network.toNormalizedString() !== ipaddr.parse(address).toNormalizedString();
  return { address, prefix, family, hasHostBits };
}

/**
 * Parses a network as people write it: CIDR, or a single address, which is the network of that address alone. IPv4
 * networks in IPv6 notation (::ffff:192.0.2.0/120) become IPv4, because packets never carry them otherwise. Returns the
 * canonical text as well; undefined if `text` is neither, and for IPv4-compatible addresses (::192.0.2.1).
 */
export function parseNetwork(text: string): (Cidr & { text: string }) | undefined {
  if (COMPATIBLE.test(text)) return undefined;
  const cidr = parseCidr(text.includes('/') ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
  if (!cidr) return undefined;
  const address = ipaddr.parse(cidr.address);
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress() || cidr.prefix < MAPPED_PREFIX)
    return { ...cidr, text: `${address}/${cidr.prefix}` };
  const network = parseNetwork(`${address.toIPv4Address()}/${cidr.prefix - MAPPED_PREFIX}`);
  return network && { ...network, hasHostBits: cidr.hasHostBits };
}

/** Returns the IPv4 address that an IPv6 address contains in any spelling (::ffff:7f00:1); undefined if it contains none. */
function mappedAddress(ip: string): string | undefined {
  const address = COMPATIBLE.test(ip) ? undefined : ipaddr.IPv6.parse(ip);
  return address?.isIPv4MappedAddress() ? address.toIPv4Address().toString() : undefined;
}

/** IPv4-compatible notation (::192.0.2.1), outdated: the bytes of an IPv6 address, which ipaddr.js takes for a mapped one. */
const COMPATIBLE = /^::\d{1,3}\./;
/** Prefix length of ::ffff:0:0/96, the IPv4 addresses in IPv6 notation. */
const MAPPED_PREFIX = 96;

/** Returns a matcher for a list of CIDRs or single addresses; an empty list matches nothing. */
export function addressMatcher(cidrs: readonly string[]): (ip: string) => boolean {
  // One list per family: in a common one, ::/0 would contain every IPv4 address.
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const text of cidrs) {
    const network = parseNetwork(text);
    if (!network) throw new Error(`not a CIDR: ${text}`);
    const { family, prefix } = network;
    lists[family].addSubnet(network.text.split('/')[0]!, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (ip) => {
    if (isIP(ip) !== 6) return lists[4].check(ip, 'ipv4');
    const mapped = mappedAddress(ip);
    return mapped === undefined ? lists[6].check(ip, 'ipv6') : lists[4].check(mapped, 'ipv4');
  };
}

/** Returns a uniform spelling: an IPv4 address that arrived over an IPv6 socket becomes plain IPv4. */
export function normalizeIp(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped ? mapped[1]! : ip;
}

/**
 * Returns the canonical spelling of an address, so that two spellings of one address compare equal. Throws if it is not
 * an address.
 */
export const canonicalIp = (ip: string): string => ipaddr.parse(ip).toString();

/** Returns the network that a single client can be expected to control: the address itself, or its /64 for IPv6. */
export function clientNetwork(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${ip.split('%')[0]}/64`).toString();
}

/** Returns the first address after the network address. */
export function firstAddress(cidr: string): string {
  const bytes = ipaddr.parse(cidr.split('/')[0]!).toByteArray();
  return ipaddr.fromByteArray([...bytes.slice(0, -1), bytes.at(-1)! + 1]).toString();
}

const SPECIAL = addressMatcher([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/127',
  'fe80::/10',
  'ff00::/8',
]);

/**
 * Returns whether an address can never belong to a single host on any network: loopback, link-local, multicast,
 * broadcast, mapped and similar.
 */
export function isSpecial(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return SPECIAL(parsed.toString()) || (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress());
}
