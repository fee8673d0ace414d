import type { Duplex } from 'node:stream';
import type { DriverReport, GuestAddress, NetworkPolicy, RefusedPackets } from '../../driver.ts';

/** Connects the guests of this host: `user` (no privileges, for development) or `routed` (for customers). */
export interface HostNetwork {
  readonly mode: 'user' | 'routed';
  /** Verifies that the network works here, with a one-line summary. */
  probe(): Promise<DriverReport>;
  /**
   * Creates the backend of a guest's network card, with the rules in force before the first packet. Returns the value
   * of QEMU's `-netdev`, with the id `net0`. Repeating it returns the same value.
   */
  attach(guest: NetworkGuest, policy: NetworkPolicy): Promise<string>;
  /** Replaces a running guest's rules atomically. */
  apply(guest: NetworkGuest, policy: NetworkPolicy): Promise<void>;
  /**
   * Replaces all guests' rules in one batch and restores their routes, after a start or when another process has
   * emptied the tables. Returns the ids of guests that now have no network because their interface is missing or their
   * request is not allowed. Only {@link attach}, before their next start, can repair that.
   */
  reassert(guests: { guest: NetworkGuest; policy: NetworkPolicy }[]): Promise<string[]>;
  /**
   * Resolves with true as soon as another process has, or may have, altered the network: call {@link reassert} then.
   * Resolves with false after half a minute or when `signal` aborts. Throws {@link ComputeUnavailableError} while it
   * cannot watch.
   */
  altered(signal: AbortSignal): Promise<boolean>;
  /** Throws {@link ComputeUnavailableError} while nothing can be created or removed. Cheap. */
  reachable(): Promise<void>;
  /** Removes everything a guest had. Succeeds if the guest is unknown. */
  detach(id: string): Promise<void>;
  /** Returns guests' traffic since they were attached. Guests that are not attached are left out. */
  counters(ids: string[]): Promise<Map<string, NetworkReading>>;
  /** Opens a TCP connection from this host to a port of a running guest. Rejects if nothing listens or `signal` aborts. */
  connect(guest: NetworkGuest, port: number, signal?: AbortSignal): Promise<Duplex>;
  /** Releases its resources; guests stay connected. */
  close(): Promise<void>;
}

/**
 * The host's address on every guest's link, and a guest's IPv6 router. It is reachable without a prefix, so a guest
 * needs only its own address and never searches its link for neighbours that do not exist.
 */
export const ROUTER_6 = 'fe80::1';

export interface NetworkGuest {
  id: string;
  mac: string;
  /** The user that may open its interface. If absent, only root. */
  uid?: number;
  addresses: GuestAddress[];
  /** The guest's directory, which holds its sockets. `net.sock` in it is a QEMU monitor for the network's use only. */
  directory: string;
}

/** From the guest's point of view. */
export interface NetworkCounters {
  inBytes: number;
  outBytes: number;
  inPackets: number;
  outPackets: number;
}

export interface NetworkReading extends NetworkCounters {
  /** Absent if there are no such limits. */
  refused?: RefusedPackets;
  /** False if the guest's interface or one of its routes was removed. */
  connected: boolean;
}

export const NO_TRAFFIC: NetworkCounters = { inBytes: 0, outBytes: 0, inPackets: 0, outPackets: 0 };
