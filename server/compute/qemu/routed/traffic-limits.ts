/** What one guest may have of what all guests of the host share. */
export interface TrafficLimits {
  /** Connections through it at a time, from either side: each is an entry in the kernel's one table of connections. */
  connections: number;
  /** Packets that it may send a second; as many may go at once. Each costs the host the same, however small. */
  packetsPerSecond: number;
}

/** A sixteenth of the table that the kernel makes on a host with 4 GB or more; what a core passes on of small packets in part. */
export const TRAFFIC_LIMITS: TrafficLimits = { connections: 16_384, packetsPerSecond: 200_000 };
