export interface FirewallEntry {
  direction: 'in' | 'out';
  action: 'accept' | 'drop';
  protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'esp' | 'gre' | 'any';
  /** "443" or "1024-5000"; null means every port. */
  ports: string | null;
  cidrs: string[];
}

export interface PortForwardEntry {
  protocol: 'tcp' | 'udp' | 'tcp_udp';
  publicIp: string;
  externalPort: number;
  internalIp: string;
  internalPort: number;
}

/** The whole of a guest's network rules. Entries are in evaluation order: the first match decides. */
export interface NetworkPolicy {
  defaultIn: 'accept' | 'drop';
  defaultOut: 'accept' | 'drop';
  firewall: FirewallEntry[];
  portForwards: PortForwardEntry[];
  /** Fastest that the guest may send, and fastest that it may receive, in bit/s; absent: no limit. */
  bandwidthBps?: number;
  /** Whether the guest may connect to port 25 of others, by which mail is handed on to strangers; absent: it may not. */
  smtpOpen?: boolean;
}
