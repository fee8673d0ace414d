import type { Duplex } from 'node:stream';
import type { DriverReport, GuestAddress, NetworkPolicy, RefusedPackets } from '../driver.ts';

/** How the guests of this host are connected: `user` (no privileges, for development) or `routed` (for tenants). */
export interface HostNetwork {
  readonly mode: 'user' | 'routed';
  /** Proves that it works here, and says so in one line. */
  probe(): Promise<DriverReport>;
  /**
   * Makes what a guest's network card is plugged into, with its rules in force before a packet can pass, and returns
   * the value of QEMU's `-netdev`, with the id `net0`. Again is a success and yields the same.
   */
  attach(guest: NetworkGuest, policy: NetworkPolicy): Promise<string>;
  /** Makes a running guest's rules exactly this, atomically. */
  apply(guest: NetworkGuest, policy: NetworkPolicy): Promise<void>;
  /**
   * Makes all guests' rules exactly these in one batch, and their routes: after a start, or when another process emptied the
   * tables. Returns the ids of those that have no network now: nothing passes to or from them. Their interface is not
   * there, or they are to have what they may not; only {@link attach}, before their next start, can mend it.
   */
  reassert(guests: { guest: NetworkGuest; policy: NetworkPolicy }[]): Promise<string[]>;
  /**
   * True as soon as another process has altered what is in force, or may have: then {@link reassert} is due. False after
   * half a minute, or when `signal` aborts. {@link ComputeUnavailableError} while that cannot be seen.
   */
  altered(signal: AbortSignal): Promise<boolean>;
  /** Throws {@link ComputeUnavailableError} while nothing can be made or taken away. Cheap. */
  reachable(): Promise<void>;
  /** Takes away everything a guest had; an unknown one is a success. */
  detach(id: string): Promise<void>;
  /** Traffic of guests since they were attached; one that is not attached is left out. */
  counters(ids: string[]): Promise<Map<string, NetworkReading>>;
  /** A TCP connection to a port of a running guest, from this host. Rejects where nothing listens, or `signal` aborts. */
  connect(guest: NetworkGuest, port: number, signal?: AbortSignal): Promise<Duplex>;
  /** Releases what it holds; guests stay connected. */
  close(): Promise<void>;
}

/**
 * The host on every guest's own link: a guest's router of IPv6. It needs no prefix to be reached, so that a guest may
 * hold its address alone, and has no neighbours that it would look for on its link in vain.
 */
export const ROUTER_6 = 'fe80::1';

/** What a network knows of a guest. */
export interface NetworkGuest {
  id: string;
  mac: string;
  /** The user that may open its interface; absent: root alone. */
  uid?: number;
  addresses: GuestAddress[];
  /** The guest's directory: a place for sockets. A monitor of QEMU's for the network alone is `net.sock` in it. */
  directory: string;
}

/** Seen from the guest. */
export interface NetworkCounters {
  inBytes: number;
  outBytes: number;
  inPackets: number;
  outPackets: number;
}

export interface NetworkReading extends NetworkCounters {
  /** Absent where there are no such limits. */
  refused?: RefusedPackets;
  /** The way to the guest is there as well: false when its interface or its routes were removed. */
  connected: boolean;
}

export const NO_TRAFFIC: NetworkCounters = { inBytes: 0, outBytes: 0, inPackets: 0, outPackets: 0 };
