import { readFileSync, statSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { parse } from 'yaml';
import { addressMatcher } from '../../../platform/cidr.ts';
import { ConfigError } from '../../../platform/config-error.ts';
import { checkOf, InvalidArgumentError } from '../../../platform/helper/shapes.ts';
import { Type } from '../../../platform/schema.ts';
import type { NetworkPolicy } from '../../driver.ts';
import type { NetworkGuest } from '../network.ts';
import { TRAFFIC_LIMITS, type TrafficLimits } from './traffic-limits.ts';

/** What the host's own configuration lets its guests have; the service can ask for no more. */
export interface Allowance {
  /** Networks that guests' addresses lie in. */
  guest_prefixes: string[];
  /** Addresses of the host, each with the ports of it ("20000-29999") that may be forwarded to guests. */
  forwards: { address: string; ports: string }[];
  /** Numbers of users that guests run as, each as one of its own: "1900000000-1900065535". */
  guest_uids: string;
  /** Whether a guest may run that cannot be held to the CPUs, memory, tasks and disk speed that were sold; by default not. */
  guest_limits?: 'required' | 'best_effort';
  /** How many connections a guest may have at a time, in and out together. */
  guest_connections?: number;
  /** How many packets a guest may send a second. */
  guest_packets_per_second?: number;
}

/** Below it are users with names, and those that systemd hands out. */
const LOWEST_UID = 65_536;
/** Beyond it some programs take a number for a negative one. */
const HIGHEST_UID = 2 ** 31 - 1;

/** Others than the owner must not decide what the owner allows. */
const WRITABLE_BY_OTHERS = 0o022;
const closed = { additionalProperties: false };
const checkShape: (value: unknown) => asserts value is Allowance = checkOf<Allowance>(
  Type.Object(
    {
      guest_prefixes: Type.Array(Type.String({ format: 'network' }), { minItems: 1, maxItems: 1_000 }),
      forwards: Type.Array(
        Type.Object(
          { address: Type.String({ format: 'address4' }), ports: Type.String({ format: 'ports' }) },
          closed,
        ),
        { maxItems: 1_000 },
      ),
      guest_uids: Type.String({ pattern: '^[1-9][0-9]{4,9}-[1-9][0-9]{4,9}$' }),
      guest_limits: Type.Optional(Type.Enum(['required', 'best_effort'])),
      guest_connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
      guest_packets_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
    },
    closed,
  ),
);

/** The first and the last number of the users that guests run as. */
export function uidsOf({ guest_uids }: Allowance): { from: number; to: number } {
  const [from, to] = guest_uids.split('-').map(Number) as [number, number];
  return { from, to };
}

/** Reads an allowance from a YAML file; throws {@link ConfigError} where it is missing, wrong, or open to others. */
export function loadAllowance(path: string): Allowance {
  try {
    if (statSync(path).mode & WRITABLE_BY_OTHERS)
      throw new InvalidArgumentError('only its owner may be able to write it');
    const value: unknown = parse(readFileSync(path, 'utf8'));
    checkShape(value);
    for (const [index, { address }] of value.forwards.entries()) {
      if (isSpecial(address))
        throw new InvalidArgumentError(`forwards.${index}.address: ${address} is no address of one host`);
    }
    const { from, to } = uidsOf(value);
    if (from < LOWEST_UID || to > HIGHEST_UID || from > to)
      throw new InvalidArgumentError(
        `guest_uids: must lie between ${LOWEST_UID} and ${HIGHEST_UID}, in order`,
      );
    return value;
  } catch (error) {
    throw new ConfigError([`${path}: ${(error as Error).message}`]);
  }
}

/** What a guest may have of the host's connections and packets, as the configuration says or by default. */
export function trafficLimitsOf({
  guest_connections,
  guest_packets_per_second,
}: Partial<Allowance>): TrafficLimits {
  return {
    connections: guest_connections ?? TRAFFIC_LIMITS.connections,
    packetsPerSecond: guest_packets_per_second ?? TRAFFIC_LIMITS.packetsPerSecond,
  };
}

export type AllowanceCheck = (guest: NetworkGuest, policy: NetworkPolicy) => void;

/** A check that throws {@link InvalidArgumentError} naming the first field that asks for more than is allowed. */
export function allowanceCheck(allowance: Allowance): AllowanceCheck {
  const { guest_prefixes, forwards } = allowance;
  const { from: lowest, to: highest } = uidsOf(allowance);
  const inPrefixes = addressMatcher(guest_prefixes);
  const ranges = forwards.map(({ address, ports }) => {
    const [from, to = from] = ports.split('-').map(Number);
    return { address, from: from!, to: to! };
  });
  return (guest, policy) => {
    if (guest.uid !== undefined && (guest.uid < lowest || guest.uid > highest)) refuse('guest.uid');
    const strange = guest.addresses.findIndex(({ address }) => !inPrefixes(address));
    if (strange >= 0) refuse(`guest.addresses.${strange}.address`);
    for (const [index, { publicIp, externalPort }] of policy.portForwards.entries()) {
      const ours = ranges.filter(({ address }) => address === publicIp);
      if (ours.length === 0) refuse(`policy.portForwards.${index}.publicIp`);
      if (!ours.some(({ from, to }) => externalPort >= from && externalPort <= to))
        refuse(`policy.portForwards.${index}.externalPort`);
    }
  };
}

function refuse(field: string): never {
  throw new InvalidArgumentError(`${field}: is not among what this host's configuration allows`);
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

/** Whether an address is never one host's on any network: loopback, link-local, multicast, broadcast, mapped and the like. */
export function isSpecial(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return SPECIAL(parsed.toString()) || (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress());
}
