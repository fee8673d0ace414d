import type { ProtocolName, TcpFlag } from './driver.ts';

/** IP protocol numbers (IANA, "Assigned Internet Protocol Numbers"). */
export const PROTOCOL_NUMBERS: Record<ProtocolName, number> = {
  tcp: 6,
  udp: 17,
  icmp: 1,
  icmpv6: 58,
  gre: 47,
  esp: 50,
  ah: 51,
};

/** The bits of the TCP flags in the header (RFC 9293). */
export const FLAG_BITS: Record<TcpFlag, number> = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32 };
