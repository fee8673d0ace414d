/**
 * The interface of a DDoS edge, which sits in front of the protected addresses, counts incoming traffic and drops
 * packets according to the rules. Vauban decides *what* should be in force; a driver makes it so on one engine (the
 * simulator, nftables, routers through FlowSpec). `contract.ts` is the executable form of this interface: every
 * driver passes it.
 *
 * Every method is idempotent: called again with the same arguments it converges on the same result. A driver never
 * imports `domain/`. The service calls the methods that change something from one place only, one at a time.
 */
export interface EdgeDriver {
  readonly name: string;
  /** Interval at which totals should be read, in milliseconds; one second if absent. */
  readonly readEveryMs?: number;

  /** Checks that the edge works here, and describes its capabilities in one line for the start-up log. */
  probe(): Promise<EdgeReport>;
  /**
   * Returns the features that rules may use on this edge. The API refuses all others instead of approximating them.
   */
  capabilities(): EdgeCapabilities;

  /**
   * Calls `listener` whenever the edge may no longer hold what it was given, because another process altered it or it
   * was restarted. The edge must then be reconciled. Absent if nothing but this driver can alter the edge.
   */
  onAltered?(listener: () => void): void;

  /**
   * Makes the edge hold exactly these targets with exactly these rules. If that fails, throws and changes nothing.
   */
  reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt>;
  /** Replaces one target's rules atomically and leaves the others untouched; adds the target if it is absent. */
  putTarget(target: EdgeTarget): Promise<EdgeReceipt>;
  /** Takes a target off the edge: its traffic then passes uncounted. Succeeds if the target is absent. */
  removeTarget(id: string): Promise<void>;

  /** Totals of every target on the edge: cheap enough to be read every second. */
  readTotals(): Promise<EdgeReading<TargetTotals>>;
  /** Returns the incoming traffic of the given targets by class; absent targets are left out. */
  readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>>;
  /** Returns what each rule of the given targets has dropped since it was added. */
  readRuleCounters(ids: string[]): Promise<EdgeReading<RuleCounters>>;

  /**
   * Starts counting the source ports of traffic to the given targets, from zero. Stops automatically after at most 30
   * s.
   */
  startPortSample(ids: string[]): Promise<void>;
  /** Returns the latest port sample of each target so far; targets without one are left out. */
  readPortSamples(ids: string[]): Promise<PortSample[]>;

  /** Starts or stops dropping everything to a target: the last resort, when the uplink itself is full. */
  blackhole(id: string, on: boolean): Promise<void>;

  /** The source of the traffic figures that attacks are detected from; absent if that is the edge itself. */
  readonly seen?: TrafficSource;

  /** Starts attacks; present on a simulated edge only. */
  readonly attacks?: SimulatedAttacks;

  /** Releases timers and connections; rules stay in force. */
  close(): Promise<void>;
}

/** A source of incoming traffic figures: an edge, or a collector that sees traffic which does not pass this host. */
export type TrafficSource = Pick<
  EdgeDriver,
  'readTotals' | 'readDetail' | 'startPortSample' | 'readPortSamples'
>;

export interface EdgeReport {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

export interface EdgeCapabilities {
  /** Units that a rate limit may have; empty if the edge cannot limit rates. */
  rateUnits: readonly RateUnit[];
  /** The highest rate that the edge can enforce; absent if there is no such bound. */
  maxRate?: Readonly<Record<RateUnit, number>>;
  /**
   * `priority`: rules are evaluated in the given order. `specificity`: in the edge's own order; a rule for which the
   * order matters is refused.
   */
  ordering: 'priority' | 'specificity';
  /** True if a limit can also apply to each sender. */
  limitsSources: boolean;
  /** True if the edge can answer SYN on behalf of a target; absent if it cannot. */
  synProxy?: boolean;
  /**
   * True if the edge counts incoming and dropped packets. If not, its readings are empty and it detects no attack.
   */
  counts: boolean;
  maxRulesPerTarget: number;
  /** Networks whose addresses can be put on this edge; null if any can. */
  prefixes: readonly string[] | null;
  /** Returns the rules of a target that the edge cannot enforce exactly as given; absent if it can enforce all. */
  refusals?(target: EdgeTarget): EdgeRefusal[];
}

/** A rule that the edge does not enforce, the field that the edge cannot express, and why. */
export interface EdgeRefusal {
  targetId: string;
  ruleId: string;
  field: keyof EdgeMatch | 'rate' | 'priority' | 'target';
  message: string;
}

export type RateUnit = 'pps' | 'bps';

/**
 * A protected address and its rules in evaluation order: the first match decides, and packets that match no rule
 * pass.
 */
export interface EdgeTarget {
  id: string;
  ip: string;
  family: 4 | 6;
  rules: EdgeRule[];
}

export interface EdgeRule {
  id: string;
  /**
   * `block` drops all matching packets; `rate_limit` passes up to `rate` of them, all sources together, and drops the
   * rest.
   */
  action: 'block' | 'rate_limit';
  match: EdgeMatch;
  /** Present iff the action is `rate_limit`; `bps` is bits per second. */
  rate: EdgeRate | null;
}

export interface EdgeRate {
  unit: RateUnit;
  value: number;
  /**
   * The part of `value` that one sender may use, in packets per second, so that a few senders cannot exhaust it;
   * absent if there is no such bound. An IPv6 sender is a /64. Senders beyond the number that the edge can
   * distinguish share the remainder.
   */
  perSource?: number;
  /**
   * Present iff the edge should answer matching SYN packets on behalf of the target, up to `value`, and open
   * connections only for clients that complete the handshake. For a match of SYN without ACK.
   */
  synProxy?: true;
}

export type ProtocolName = 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'gre' | 'esp' | 'ah';
export type TcpFlag = 'fin' | 'syn' | 'rst' | 'psh' | 'ack' | 'urg';

/** The packets a rule applies to: those that satisfy every part that is not null, empty or `any`. */
export interface EdgeMatch {
  /** A name, or the number of a protocol without a name here. */
  protocol: 'any' | ProtocolName | number;
  /** Source network in CIDR notation. */
  source: string | null;
  /** "53" or "1024-2000"; one of them must match. A later fragment carries no ports, so it matches no list. */
  sourcePorts: string[];
  destinationPorts: string[];
  /** Length of the whole IP packet in bytes, both ends included. */
  packetLength: { min: number; max: number } | null;
  /** TCP packets whose header has all of `set` and none of `unset`. */
  tcpFlags: { set: TcpFlag[]; unset: TcpFlag[] } | null;
  /** `only`: every fragment, including the first; `none`: whole packets. */
  fragments: 'any' | 'only' | 'none';
}

/** The number of targets and rules now in force. */
export interface EdgeReceipt {
  targets: number;
  rules: number;
  /** Given rules that are not in force because this edge cannot enforce them exactly; absent if there are none. */
  refused?: EdgeRefusal[];
}

/** Values read at one instant. Counters never fall within one epoch; a new epoch counts from zero. */
export interface EdgeReading<Row> {
  epoch: string;
  at: Date;
  rows: Row[];
}

export interface Volume {
  packets: number;
  bytes: number;
}

/** Cumulative since the target was put on the edge. Every incoming packet either passed or was dropped. */
export interface TargetTotals {
  id: string;
  in: Volume;
  passed: Volume;
  /** Bytes that the target sent; null on an edge that sees one direction only. */
  outBytes: number | null;
}

/**
 * Each packet is in exactly one class. `fragment` takes precedence over all others; `syn` is TCP with SYN and without
 * ACK.
 */
export const EDGE_CLASSES = ['syn', 'tcp', 'udp', 'icmp', 'fragment', 'other'] as const;
export type EdgeClass = (typeof EDGE_CLASSES)[number];

export interface TargetDetail {
  id: string;
  classes: Record<EdgeClass, Volume>;
}

export interface RuleCounters {
  id: string;
  targetId: string;
  dropped: Volume;
}

/** Traffic by source port; packets without ports are not included. */
export interface PortSample {
  id: string;
  ports: ({ protocol: 'tcp' | 'udp'; port: number } & Volume)[];
  /** Packets from ports that are not listed because there are more than the edge can distinguish. */
  others: Record<'tcp' | 'udp', number>;
}

export const SIMULATED_VECTORS = [
  'syn_flood',
  'udp_flood',
  'dns_amplification',
  'ntp_amplification',
  'icmp_flood',
  'fragment_flood',
] as const;
export type SimulatedVector = (typeof SIMULATED_VECTORS)[number];

export interface SimulatedAttacks {
  /** Starts an attack of `pps` packets per second that lasts `seconds`, in addition to ongoing ones. */
  start(id: string, attack: { vector: SimulatedVector; pps: number; seconds: number }): Promise<void>;
  /** Ends the ongoing attacks and returns their number. */
  stop(id: string): Promise<number>;
}

/** The edge has no such target, or cannot be reached; a retry may succeed. */
export class EdgeUnavailableError extends Error {
  override name = 'EdgeUnavailableError';
}
