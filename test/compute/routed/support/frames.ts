import ipaddr from 'ipaddr.js';

const bytes = (address: string) => ipaddr.parse(address).toByteArray();
const hardware = (mac: string) => mac.split(':').map((part) => Number.parseInt(part, 16));
const word = (value: number) => [value >> 8, value & 0xff];

/** The internet checksum (RFC 1071). */
function checksum(data: number[]): number {
  let sum = 0;
  for (let i = 0; i < data.length; i += 2) sum += (data[i]! << 8) | (data[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

/** Builds a frame with a UDP datagram, with any sender. */
export function udpFrame(
  mac: { from: string; to: string },
  ip: { from: string; to: string },
  port: number,
): number[] {
  const payload = [0x78];
  const length = 8 + payload.length;
  const addresses = [...bytes(ip.from), ...bytes(ip.to)];
  const head = (sum: number) => [...word(40_000), ...word(port), ...word(length), ...word(sum)];
  const pseudo = [...addresses, 0, 17, ...word(length)];
  const udp = [...head(checksum([...pseudo, ...head(0), ...payload])), ...payload];
  const ethernet = [...hardware(mac.to), ...hardware(mac.from)];
  if (ip.from.includes(':')) {
    return [...ethernet, 0x86, 0xdd, 0x60, 0, 0, 0, ...word(length), 17, 64, ...addresses, ...udp];
  }
  const ipv4 = (sum: number) => [
    0x45,
    0,
    ...word(20 + length),
    0,
    0,
    0,
    0,
    64,
    17,
    ...word(sum),
    ...addresses,
  ];
  return [...ethernet, 8, 0, ...ipv4(checksum(ipv4(0))), ...udp];
}

/** Builds an ARP request for `target` from this sender. */
export function arpFrame(mac: string, ip: string, target: string): number[] {
  const sender = hardware(mac);
  const ethernet = [...Array<number>(6).fill(255), ...sender, 8, 6];
  return [...ethernet, 0, 1, 8, 0, 6, 4, 0, 1, ...sender, ...bytes(ip), 0, 0, 0, 0, 0, 0, ...bytes(target)];
}

export function hex(frame: number[]): string {
  return frame.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}
