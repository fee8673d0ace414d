/**
 * The promise of a DDoS edge: what stands in front of the protected addresses, counts what comes in and drops
 * what the rules say. Vauban decides *what* should be in force; a driver makes it so on one engine (the simulator,
 * nftables, routers by FlowSpec). `contract.ts` is the executable form of this promise: every driver passes it.
 *
 * Every method is idempotent: called again with the same arguments it converges on the same result. A driver never
 * imports `domain/`. The service calls the methods that change something from one place only, one at a time.
 */
export interface EdgeDriver {
  readonly name: string;
  /** How often totals are to be read, in milliseconds; each second where the edge does not say. */
  readonly readEveryMs?: number;

  /** Proves that the edge works here, and says what it can do, in one line for the start-up log. */
  probe(): Promise<EdgeReport>;
  /** What rules may ask of this edge. What it cannot do is refused by the API, never approximated. */
  capabilities(): EdgeCapabilities;

  /**
   * Calls `listener` whenever the edge may no longer hold what it was given, as another process has altered it or it was
   * restarted: then it is to be reconciled. Absent where nothing but this driver can alter the edge.
   */
  onAltered?(listener: () => void): void;

  /** Makes the edge hold exactly these targets with exactly these rules: all of it, or nothing and a throw. */
  reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt>;
  /** Makes one target's rules exactly these, atomically, the others untouched; adds a target that is not there. */
  putTarget(target: EdgeTarget): Promise<EdgeReceipt>;
  /** Takes a target off the edge: its traffic passes uncounted. An absent one is a success. */
  removeTarget(id: string): Promise<void>;

  /** Totals of every target on the edge: cheap enough to be read every second. */
  readTotals(): Promise<EdgeReading<TargetTotals>>;
  /** What comes in, class by class, of the given targets; one that is not there is left out. */
  readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>>;
  /** What each rule of the given targets dropped since it was put there. */
  readRuleCounters(ids: string[]): Promise<EdgeReading<RuleCounters>>;

  /** Begins to count the source ports of what comes in to the given targets, from zero; ends by itself after 30 s. */
  startPortSample(ids: string[]): Promise<void>;
  /** What the latest port sample of each target counted so far; a target without one is left out. */
  readPortSamples(ids: string[]): Promise<PortSample[]>;

  /** Drops everything to a target, or no longer: the last resort, when the uplink itself is full. */
  blackhole(id: string, on: boolean): Promise<void>;

  /** What attacks are noticed by, where that is not what this edge counts itself. */
  readonly seen?: TrafficSource;

  /** Present on an edge of pretence only: makes attacks. */
  readonly attacks?: SimulatedAttacks;

  /** Releases timers and connections; what is in force stays in force. */
  close(): Promise<void>;
}

/** What says what comes in to targets: an edge, or something that sees what does not pass this host. */
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
  /** Units that a rate limit may have; none where limits are beyond it. */
  rateUnits: readonly RateUnit[];
  /** The highest rate that it can enforce; absent where there is no such bound. */
  maxRate?: Readonly<Record<RateUnit, number>>;
  /**
   * `priority`: rules are looked at in the order given. `specificity`: in an order of the edge's own; where that would
   * matter, a rule is refused.
   */
  ordering: 'priority' | 'specificity';
  /** Whether a limit can also bound each sender. */
  limitsSources: boolean;
  /** Whether it can answer SYN in the place of a target; absent where it cannot. */
  synProxy?: boolean;
  /** Whether it counts what comes in and what is dropped. Where it does not, readings are empty and no attack is noticed. */
  counts: boolean;
  maxRulesPerTarget: number;
  /** Networks whose addresses can be put on this edge; null where any can. */
  prefixes: readonly string[] | null;
  /** Which rules of a target it cannot enforce exactly as they are given; absent where there are none. */
  refusals?(target: EdgeTarget): EdgeRefusal[];
}

/** A rule that the edge does not enforce, the part of it that is beyond the edge, and why. */
export interface EdgeRefusal {
  targetId: string;
  ruleId: string;
  field: keyof EdgeMatch | 'rate' | 'priority' | 'target';
  message: string;
}

export type RateUnit = 'pps' | 'bps';

/** A protected address and its rules in evaluation order: the first match decides; what none matches passes. */
export interface EdgeTarget {
  id: string;
  ip: string;
  family: 4 | 6;
  rules: EdgeRule[];
}

export interface EdgeRule {
  id: string;
  /** `block` drops what it matches; `rate_limit` lets `rate` of it pass, all sources together, and drops the rest. */
  action: 'block' | 'rate_limit';
  match: EdgeMatch;
  /** Iff the action is `rate_limit`; `bps` is bits a second. */
  rate: EdgeRate | null;
}

export interface EdgeRate {
  unit: RateUnit;
  value: number;
  /**
   * Of that, what one sender may have in packets a second, so that few senders cannot use it up; absent where there is no
   * such bound. A sender in IPv6 is a /64. Senders beyond those that the edge can tell apart share what there is.
   */
  perSource?: number;
  /**
   * Iff the edge is to answer these SYN in the target's place, as many as `value` says, and open connections only for
   * clients that answer back; absent otherwise. For a match of SYN without ACK.
   */
  synProxy?: true;
}

export type ProtocolName = 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'gre' | 'esp' | 'ah';
export type TcpFlag = 'fin' | 'syn' | 'rst' | 'psh' | 'ack' | 'urg';

/** Which packets a rule takes: those that satisfy every part that is not null, empty or `any`. */
export interface EdgeMatch {
  /** A name, or the number of a protocol that has none here. */
  protocol: 'any' | ProtocolName | number;
  /** Source network in CIDR notation. */
  source: string | null;
  /** "53" or "1024-2000", any of them. A later fragment carries no ports, so it matches no list. */
  sourcePorts: string[];
  destinationPorts: string[];
  /** Of the whole IP packet in bytes, both ends included. */
  packetLength: { min: number; max: number } | null;
  /** TCP packets whose header has all of `set` and none of `unset`. */
  tcpFlags: { set: TcpFlag[]; unset: TcpFlag[] } | null;
  /** `only`: every fragment, the first included; `none`: whole packets. */
  fragments: 'any' | 'only' | 'none';
}

/** What is in force from now on. */
export interface EdgeReceipt {
  targets: number;
  rules: number;
  /** Rules that were given and are not in force, as this edge cannot enforce them exactly; absent where there are none. */
  refused?: EdgeRefusal[];
}

/** Values read at one instant. Counters never fall within one epoch; another epoch counts from zero. */
export interface EdgeReading<Row> {
  epoch: string;
  at: Date;
  rows: Row[];
}

export interface Volume {
  packets: number;
  bytes: number;
}

/** Cumulative since the target was put on the edge. What came in was passed or dropped, to the packet. */
export interface TargetTotals {
  id: string;
  in: Volume;
  passed: Volume;
  /** What the target sent; null on an edge that sees one direction only. */
  outBytes: number | null;
}

/** Each packet is in one class. `fragment` comes before all others; `syn` is TCP with SYN and without ACK. */
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

/** How much came from each source port; packets without ports are not in it. */
export interface PortSample {
  id: string;
  ports: ({ protocol: 'tcp' | 'udp'; port: number } & Volume)[];
  /** Packets from ports that are not listed, where there are more than the edge tells apart. */
  others: Record<'tcp' | 'udp', number>;
}

/** Attacks that a simulated edge can make. */
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
  /** Begins an attack of `pps` packets a second, over after `seconds`; on top of those under way. */
  start(id: string, attack: { vector: SimulatedVector; pps: number; seconds: number }): Promise<void>;
  /** Ends what is under way; how many attacks that were. */
  stop(id: string): Promise<number>;
}

/** The edge has no such target, or cannot be reached; trying later may work. */
export class EdgeUnavailableError extends Error {
  override name = 'EdgeUnavailableError';
}
