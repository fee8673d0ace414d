import ipaddr from 'ipaddr.js';
import { parseCidr } from '../../platform/cidr.ts';
import type { EdgeMatch } from '../driver.ts';
import { PROTOCOL_NUMBERS } from '../protocol-numbers.ts';

/** Returns false only if no packet can match both; true if one may. */
export function mayOverlap(a: EdgeMatch, b: EdgeMatch): boolean {
  const [one, other] = [protocols(a), protocols(b)];
  return !(
    (one && other && !one.some((protocol) => other.includes(protocol))) ||
    areApart(networks(a.source), networks(b.source)) ||
    areApart(ranges(a.sourcePorts), ranges(b.sourcePorts)) ||
    areApart(ranges(a.destinationPorts), ranges(b.destinationPorts)) ||
    areApart(a.packetLength && [a.packetLength], b.packetLength && [b.packetLength]) ||
    contradict(a, b) ||
    contradict(b, a) ||
    [a.fragments, b.fragments].sort().join() === 'none,only'
  );
}

/** Returns the protocols of a match; undefined for any. */
function protocols(match: EdgeMatch): number[] | undefined {
  const { protocol, tcpFlags, sourcePorts, destinationPorts } = match;
  if (protocol !== 'any') return [typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol]];
  if (tcpFlags) return [PROTOCOL_NUMBERS.tcp];
  return sourcePorts.length + destinationPorts.length > 0
    ? [PROTOCOL_NUMBERS.tcp, PROTOCOL_NUMBERS.udp]
    : undefined;
}

interface Range<N> {
  min: N;
  max: N;
}

/** Returns true if the two lists have nothing in common; an absent or empty list covers everything. */
function areApart<N extends number | bigint>(a: Range<N>[] | null, b: Range<N>[] | null): boolean {
  if (!a?.length || !b?.length) return false;
  return a.every((one) => b.every((other) => one.max < other.min || other.max < one.min));
}

function ranges(ports: string[]): Range<number>[] {
  return ports.map((text) => {
    const [min, max = min] = text.split('-').map(Number) as [number, number?];
    return { min, max: max as number };
  });
}

function networks(source: string | null): Range<bigint>[] | null {
  const cidr = source === null ? undefined : parseCidr(source);
  if (!cidr) return null;
  const first = BigInt(`0x${Buffer.from(ipaddr.parse(cidr.address).toByteArray()).toString('hex')}`);
  const size = 1n << BigInt((cidr.family === 4 ? 32 : 128) - cidr.prefix);
  return [{ min: first, max: first + size - 1n }];
}

/** Returns true if `a` requires a flag that `b` excludes. */
function contradict(a: EdgeMatch, b: EdgeMatch): boolean {
  return a.tcpFlags?.set.some((flag) => b.tcpFlags?.unset.includes(flag)) ?? false;
}
