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

/** All of a guest's network rules. Entries are in evaluation order: the first match decides. */
export interface NetworkPolicy {
  defaultIn: 'accept' | 'drop';
  defaultOut: 'accept' | 'drop';
  firewall: FirewallEntry[];
  portForwards: PortForwardEntry[];
  /** Bandwidth limit in bit/s, for sending and receiving each; absent means unlimited. */
  bandwidthBps?: number;
  /** True if the guest may connect to port 25 of other servers to deliver mail; absent means it may not. */
  smtpOpen?: boolean;
}
