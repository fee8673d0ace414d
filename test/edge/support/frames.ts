import ipaddr from 'ipaddr.js';
import type { TcpFlag } from '../../../server/edge/driver.ts';
import type { Packet } from '../../../server/edge/simulator/packet.ts';

/** The MAC addresses of both ends of the attacker's link. */
export const EDGE_MAC = '02:00:00:00:00:01';
export const ATTACKER_MAC = '02:00:00:00:00:02';

export type Frame = Buffer;

const FLAG_BITS: Record<TcpFlag, number> = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32 };
const ETHERNET = Buffer.from(`${EDGE_MAC}${ATTACKER_MAC}`.replaceAll(':', ''), 'hex');
const bytesOf = (address: string) => Buffer.from(ipaddr.parse(address).toByteArray());

/** Returns the minimum and maximum length of a whole IP packet of this kind. */
export function lengthsOf({ protocol, fragment }: Packet, family: 4 | 6): [number, number] {
  const headers = (family === 4 ? 20 : 40) + (family === 6 && fragment !== 'none' ? 8 : 0);
  return [headers + (fragment === 'later' ? 8 : headerBytes(protocol)), 1_500];
}

function headerBytes(protocol: number): number {
  if (protocol === 6) return 20;
  return protocol === 51 ? 24 : 8;
}

/**
 * Builds the frame of a packet to an address, as an attacker would send it. Only whole TCP packets have a valid
 * checksum.
 */
export function frameOf(packet: Packet, to: string): Frame {
  const { source, length, fragment, protocol } = packet;
  return source.includes(':')
    ? Buffer.concat([ETHERNET, Buffer.of(0x86, 0xdd), ipv6(packet, to)])
    : Buffer.concat([ETHERNET, Buffer.of(0x08, 0), ipv4({ source, length, fragment, protocol }, packet, to)]);
}

function ipv4(
  { source, length, fragment, protocol }: Pick<Packet, 'source' | 'length' | 'fragment' | 'protocol'>,
  packet: Packet,
  to: string,
): Buffer {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(length, 2);
  header.writeUInt16BE({ none: 0, first: 0x2000, later: 0x20b9 }[fragment], 6);
  header[8] = 64;
  header[9] = protocol;
  bytesOf(source).copy(header, 12);
  bytesOf(to).copy(header, 16);
  header.writeUInt16BE(checksum(header), 10);
  return Buffer.concat([header, checked(packet, to, body(packet, length - 20))]);
}

function ipv6(packet: Packet, to: string): Buffer {
  const { source, length, fragment, protocol } = packet;
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header.writeUInt16BE(length - 40, 4);
  header[6] = fragment === 'none' ? protocol : 44;
  header[7] = 64;
  bytesOf(source).copy(header, 8);
  bytesOf(to).copy(header, 24);
  if (fragment === 'none') return Buffer.concat([header, checked(packet, to, body(packet, length - 40))]);
  const extension = Buffer.of(protocol, 0, 0, 1, 0, 0, 0, 1);
  if (fragment === 'later') extension.writeUInt16BE((185 << 3) | 1, 2);
  return Buffer.concat([header, extension, body(packet, length - 48)]);
}

/** The payload of the IP packet. Even later fragments contain bytes that look like ports. */
function body({ protocol, sourcePort, destinationPort, flags, fragment }: Packet, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (fragment === 'later') {
    bytes.writeUInt16BE(53, 0);
    bytes.writeUInt16BE(53, 2);
    return bytes;
  }
  if (protocol === 6 || protocol === 17) {
    bytes.writeUInt16BE(sourcePort!, 0);
    bytes.writeUInt16BE(destinationPort!, 2);
  }
  if (protocol === 6) {
    bytes[12] = 0x50;
    bytes[13] = flags.reduce((sum, flag) => sum | FLAG_BITS[flag], 0);
  }
  if (protocol === 17) bytes.writeUInt16BE(length, 4);
  if (protocol === 51) Buffer.of(59, 4).copy(bytes);
  return bytes;
}

/** Adds the TCP checksum to a whole TCP packet, because a SYN proxy verifies it. */
function checked({ protocol, source, fragment }: Packet, to: string, bytes: Buffer): Buffer {
  if (protocol !== 6 || fragment !== 'none') return bytes;
  const pseudo = Buffer.concat([
    bytesOf(source),
    bytesOf(to),
    Buffer.of(0, 6, bytes.length >> 8, bytes.length & 255),
  ]);
  bytes.writeUInt16BE(checksum(Buffer.concat([pseudo, bytes])), 16);
  return bytes;
}

function checksum(data: Buffer): number {
  let sum = 0;
  for (let i = 0; i < data.length; i += 2) sum += i + 1 < data.length ? data.readUInt16BE(i) : data[i]! << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

/** Writes frames in trafgen's format; trailing zeros are abbreviated. */
export function trafgenConfig(frames: Frame[]): string {
  const texts = frames.map((frame) => {
    let end = frame.length;
    while (frame[end - 1] === 0) end--;
    const parts = [...frame.subarray(0, end)].map(String);
    if (end < frame.length) parts.push(`fill(0, ${frame.length - end})`);
    return `{ ${parts.join(', ')} }`;
  });
  return `${texts.join('\n')}\n`;
}
