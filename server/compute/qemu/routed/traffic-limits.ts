/** Limits of one guest's share of resources common to all guests of the host. */
export interface TrafficLimits {
  /** Concurrent connections of the guest, in either direction: each is an entry in the kernel's single connection table. */
  connections: number;
  /**
   * Packets per second that the guest may send, and also the burst. Each packet costs the host the same, however small
   * it is.
   */
  packetsPerSecond: number;
}

/**
 * A sixteenth of the connection table that the kernel creates on a host with 4 GB or more; part of the small packets
 * that one core can forward.
 */
export const TRAFFIC_LIMITS: TrafficLimits = { connections: 16_384, packetsPerSecond: 200_000 };
