import { parseJson } from '../../platform/peer/json.ts';
import type { EdgeClass, Volume } from '../driver.ts';

/** A collector's count of similar packets to one address. */
export interface Flow extends Volume {
  ip: string;
  class: EdgeClass;
  /** For TCP and UDP only. */
  source: { protocol: 'tcp' | 'udp'; port: number } | null;
}

const OBJECT = '{'.charCodeAt(0);
const SYN = 2;
const ACK = 16;
const MAX_PORT = 65_535;
/** More than any link carries in a second; larger figures from a broken or hostile exporter are ignored. */
const MOST_PACKETS = 1e10;
const MOST_BYTES = 1e13;

/**
 * Parses a line of pmacct's print plugin in JSON: a flow, `purge` at the end of a round, or undefined for anything
 * else.
 */
export function readLine(line: string | Uint8Array): Flow | 'purge' | undefined {
  // Rejecting non-objects this way costs a hundredth of what a parse error costs, and a broken collector may write
  // millions of lines.
  if (line[0] !== '{' && line[0] !== OBJECT) return undefined;
  let row: Record<string, unknown>;
  try {
    row = Object(parseJson(line, 'the flow collector'));
  } catch {
    return undefined;
  }
  if (row.event_type === 'purge_close') return 'purge';
  const { ip_dst: ip, packets, bytes } = row;
  if (row.event_type !== 'purge' || typeof ip !== 'string') return undefined;
  if (!isCount(packets, MOST_PACKETS) || !isCount(bytes, MOST_BYTES)) return undefined;
  return { ip, packets, bytes, ...kindOf(row) };
}

const isCount = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

function kindOf({
  ip_proto: protocol,
  port_src: port,
  tcp_flags,
}: Record<string, unknown>): Pick<Flow, 'class' | 'source'> {
  if (protocol === 'icmp' || protocol === 'ipv6-icmp') return { class: 'icmp', source: null };
  if (protocol !== 'tcp' && protocol !== 'udp') return { class: 'other', source: null };
  const source = isCount(port, MAX_PORT) ? ({ protocol, port } as const) : null;
  if (protocol === 'udp') return { class: 'udp', source };
  // The combined flags of all packets of a flow: an answered connection has ACK as well.
  const flags = Number(tcp_flags);
  return { class: (flags & SYN) !== 0 && (flags & ACK) === 0 ? 'syn' : 'tcp', source };
}
