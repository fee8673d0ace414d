import ipaddr from 'ipaddr.js';

// Routes as BGP bytes (RFC 4271, 4760, 8955, 8956), which GoBGP accepts, returns and sends.

/** BGP's numbers: AFI 1 is IPv4 and 2 IPv6; SAFI 1 is unicast and 133 FlowSpec. */
export interface RouteFamily {
  afi: number;
  safi: number;
}

export interface Route {
  family: RouteFamily;
  /** The route's destination or match. A new route replaces one with the same NLRI. */
  nlri: Buffer;
  /** Path attributes, each complete with its header. */
  attributes: Buffer[];
}

const UNICAST = 1;
const FLOWSPEC = 133;
export const flowspecFamily = (family: 4 | 6): RouteFamily => ({ afi: family === 4 ? 1 : 2, safi: FLOWSPEC });
export const unicastFamily = (family: 4 | 6): RouteFamily => ({ afi: family === 4 ? 1 : 2, safi: UNICAST });
export const isFlowspec = ({ safi }: RouteFamily) => safi === FLOWSPEC;

const OPTIONAL = 0x80;
const TRANSITIVE = 0x40;
const NEXT_HOP = 3;
const COMMUNITIES = 8;
const MP_REACH = 14;
const EXTENDED_COMMUNITIES = 16;
const ORIGIN_IGP = attribute(TRANSITIVE, 1, Buffer.of(0));
/** A rule has no next hop; for a blackhole, each router uses its own. */
const NO_NEXT_HOP = attribute(TRANSITIVE, NEXT_HOP, Buffer.alloc(4));
/** `traffic-rate-bytes`, for no particular autonomous system. */
const TRAFFIC_RATE = Buffer.of(0x80, 0x06, 0, 0);

/** Returns a route that limits packets matching `nlri` to this many bytes per second; 0 drops all of them. */
export function ruleRoute(family: 4 | 6, nlri: Buffer, bytesPerSecond: number): Route {
  const rate = Buffer.alloc(4);
  rate.writeFloatBE(bytesPerSecond);
  const limit = attribute(OPTIONAL | TRANSITIVE, EXTENDED_COMMUNITIES, Buffer.concat([TRAFFIC_RATE, rate]));
  return { family: flowspecFamily(family), nlri, attributes: [ORIGIN_IGP, NO_NEXT_HOP, limit] };
}

/**
 * Returns a route to one address that asks routers to drop everything to it, through a community such as `65535:666`.
 */
export function blackholeRoute(ip: string, community: string): Route {
  const bytes = addressBytes(ip);
  const family = unicastFamily(bytes.length === 4 ? 4 : 6);
  const nlri = Buffer.concat([Buffer.of(bytes.length * 8), bytes]);
  const [high, low] = community.split(':').map(Number) as [number, number];
  const value = Buffer.alloc(4);
  value.writeUInt16BE(high, 0);
  value.writeUInt16BE(low, 2);
  const nextHop = bytes.length === 4 ? NO_NEXT_HOP : reachable6(nlri);
  const attributes = [ORIGIN_IGP, nextHop, attribute(OPTIONAL | TRANSITIVE, COMMUNITIES, value)];
  return { family, nlri, attributes };
}

function reachable6(nlri: Buffer): Buffer {
  const header = Buffer.of(0, 2, UNICAST, 16);
  return attribute(OPTIONAL, MP_REACH, Buffer.concat([header, Buffer.alloc(16), Buffer.of(0), nlri]));
}

/** Identifies a route: routes with the same key replace each other. */
export const keyOf = ({ family, nlri }: Pick<Route, 'family' | 'nlri'>) =>
  `${family.afi}/${family.safi}/${nlri.toString('hex')}`;

/** The action that a route asks of routers: its communities, ordinary and extended. */
export function asked({ attributes }: Route): string {
  return attributes
    .filter((one) => one[1] === COMMUNITIES || one[1] === EXTENDED_COMMUNITIES)
    .map((one) => `${one[1]}:${one.subarray(one[0]! & 0x10 ? 4 : 3).toString('hex')}`)
    .sort()
    .join();
}

/** Returns the single address a route is for; undefined if it is for a network, or for any destination. */
export function destinationOf({ family, nlri }: Pick<Route, 'family' | 'nlri'>): string | undefined {
  const size = family.afi === 1 ? 4 : 16;
  const at = isFlowspec(family) ? destinationAt(family, nlri) : 0;
  if (at === undefined || nlri[at] !== size * 8) return undefined;
  const start = at + (isFlowspec(family) && size === 16 ? 2 : 1);
  const bytes = [...nlri.subarray(start, start + size)];
  return bytes.length === size ? ipaddr.fromByteArray(bytes).toString() : undefined;
}

/**
 * Returns the position of the destination prefix's length, which follows the total length and the type of this
 * component.
 */
function destinationAt({ afi }: RouteFamily, nlri: Buffer): number | undefined {
  const first = (nlri[0] ?? 0) >= 0xf0 ? 2 : 1;
  if (nlri[first] !== 1) return undefined;
  const offset = afi === 2 ? nlri[first + 2] : 0;
  return offset === 0 ? first + 1 : undefined;
}

export const addressBytes = (ip: string) => Buffer.from(ipaddr.parse(ip).toByteArray());

function attribute(flags: number, type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(flags, type, value.length), value]);
}
