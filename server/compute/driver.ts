import type { Duplex } from 'node:stream';
import type { EngineClusters } from './engine-clusters.ts';
import type { FirewallEntry, NetworkPolicy } from './network-policy.ts';
import type { HostCapacity } from './resources.ts';

export * from './driver-errors.ts';
export * from './engine-clusters.ts';
export * from './network-policy.ts';
export * from './resources.ts';

/**
 * The promise of a compute engine. Vauban decides *what* should exist; a driver makes it so on one engine
 * (the simulator, QEMU, a cluster). `contract.ts` is the executable form of this promise: every driver
 * passes it.
 *
 * Every method is idempotent: called again with the same arguments, after a crash in the middle or after
 * success, it converges on the same result. A driver never imports `domain/` and never sees money.
 */
export interface ComputeDriver {
  readonly name: string;

  /** Proves that the engine works here, and says what it can do, in one line for the start-up log. */
  probe(): Promise<DriverReport>;

  /**
   * Names where this engine keeps its guests, the same after every restart; null where they are in the database. A VM is
   * recorded with it: no other place is asked about its guest.
   */
  place(): Promise<string | null>;

  /** What this engine can do that not every one can. */
  capabilities(): DriverCapabilities;
  /**
   * The machines that guests run on, and what the guests of each can have together, running or off. What is sold is reserved
   * of that beforehand; `create`, `start` and `resize` check it again, and throw {@link CapacityError}.
   * {@link ComputeUnavailableError} where no guest could be made on any.
   */
  hosts(): Promise<HostInfo[]>;
  /**
   * What guests of a template of the catalog would be made of, in a region or in any; undefined where there is nothing to make
   * them of.
   */
  findTemplate(code: string, region?: string): Promise<EngineTemplate | undefined>;

  /** Makes the guest, off, with its disk, on the host that it names. Repeating it for an existing id is a success. */
  create(spec: GuestSpec): Promise<void>;
  /** Powers the guest on and resolves when it is on, whether or not anything in it answers. One that is on is a success. */
  start(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Asks the guest to power off and resolves when it *is* off; throws {@link ShutdownTimeoutError} when it
   * is not within `timeoutSeconds`, leaving it running. A guest that is off is a success.
   */
  shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /** Cuts the power. A guest that is off, or absent, is a success. */
  powerOff(id: string): Promise<void>;
  /** Restarts the guest, gracefully if it obeys within `timeoutSeconds`, else by a reset; resolves when it boots again. */
  reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Removes the guest, its disk, snapshots and network. A guest that is absent for certain is a success; throws while
   * anything of it is left.
   */
  remove(id: string): Promise<void>;
  /** Sets vCPU, memory and disk of a guest that is off. The disk grows, never shrinks. */
  resize(id: string, size: GuestSize): Promise<void>;

  /**
   * Moves the guest, with its disk, snapshots, addresses and rules, to another host: `live` while it runs, `cold` where it is
   * off. One that is there is a success, and one for which that fails is where it was.
   */
  move(id: string, to: { hostId: string }, how: MoveKind, signal?: AbortSignal): Promise<void>;
  /** How the guest can be moved as it is now: an engine that can move guests while they run need not be able to with each. */
  moveKind(id: string): Promise<MoveKind>;

  /** Sets a user's password inside a running guest; {@link AgentUnavailableError} when it cannot. */
  setPassword(id: string, username: string, password: string): Promise<void>;
  /** Lets `publicKey` (one authorized_keys line) log in as the image's default user of a running guest. */
  authorizeKey(id: string, publicKey: string): Promise<void>;
  /** Takes `publicKey` from that user of a running guest again; one that is not authorized is a success. */
  revokeKey(id: string, publicKey: string): Promise<void>;

  /** Takes a snapshot of the guest, on or off. */
  createSnapshot(id: string, snapshotId: string): Promise<SnapshotInfo>;
  /** Deletes a snapshot; an absent one is a success. */
  deleteSnapshot(id: string, snapshotId: string): Promise<void>;
  /**
   * Gives the disk of a guest that is off the bytes that it had at the snapshot. All snapshots stay, and so does the size:
   * what the disk has grown by since is blank. Throws, with the disk as it was, where there is no such snapshot.
   */
  restoreSnapshot(id: string, snapshotId: string): Promise<void>;

  /**
   * Reinstalls the guest, off: as `create` would have it, but for its network rules, which stay. One that is on is refused,
   * one that is absent is made. What was there, snapshots and all, is set aside under `rebuildId` until `finishRebuild`
   * or `undoRebuild`; what another rebuild has left there is discarded.
   */
  rebuild(spec: GuestSpec, rebuildId: string): Promise<void>;
  /** Discards what the rebuild has set aside. Where there is nothing of that id it is a success. */
  finishRebuild(id: string, rebuildId: string): Promise<void>;
  /** Brings what it has set aside back, of a guest that is off; one that it has made is removed. Else as `finishRebuild`. */
  undoRebuild(id: string, rebuildId: string): Promise<void>;

  /** Makes the guest's firewall and port forwards exactly this, atomically; remembered while it is off. */
  applyNetwork(id: string, policy: NetworkPolicy): Promise<void>;

  /**
   * One guest as the engine sees it. Undefined means that there is none of that id for certain; one that cannot be seen,
   * because its process or its files do not answer, is a {@link ComputeUnavailableError}, as is every other question
   * about it but `powerOff` and `remove`. Once it can be seen again it is asked about as before, without a restart.
   */
  inspect(id: string): Promise<GuestState | undefined>;
  /**
   * All guests the engine has, those that cannot be seen too: what the reconciler compares with the database. Waits for no
   * guest; throws where it cannot tell which there are.
   */
  list(): Promise<GuestSight[]>;
  /** Current readings of the given guests; one that is off is left out, one in which nothing answers is not. */
  sample(ids: string[]): Promise<GuestSample[]>;
  /** Volumes of one guest; empty when absent. */
  volumes(id: string): Promise<GuestVolume[]>;

  /**
   * A connection to the guest's screen, speaking RFB (VNC) from its first byte, as a socket to the engine
   * would. Throws {@link AgentUnavailableError} when the guest is off. The caller destroys the stream. It is read by
   * `data`, and a chunk's bytes are good until the handler returns, and while it has paused the stream.
   */
  openVnc(id: string): Promise<Duplex>;
  /**
   * A connection to port 22 of a running guest, speaking SSH from its first byte; {@link AgentUnavailableError}
   * when nothing listens there. The caller destroys the stream.
   */
  openSsh(id: string): Promise<Duplex>;

  /**
   * Reports what guests do by themselves (power off, crash, warn). Calls `listener` until the returned
   * function is called. An event may be reported more than once, always with the same `key`.
   */
  watch(listener: (event: GuestEvent) => void): () => void;
  /** What the engine has of what guests need, item by item, for an operator who sets it up; absent where the host itself is all there is. */
  readonly check?: (wants: EngineWants) => Promise<EngineFinding[]>;
  /** Clusters of other regions, which an operator adds; absent where there can be one alone. */
  readonly clusters?: EngineClusters;
  /** Hosts that are lost for show; absent where there are real ones. */
  readonly outages?: SimulatedOutages;
  /** Releases timers and connections; guests go on running. */
  close(): Promise<void>;
}

export interface DriverReport {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

/** What the catalog sells, as far as an engine has to have it. */
export interface EngineWants {
  templates: readonly string[];
  zones: readonly string[];
  /** Of each region, IPv4 first: what guests there send everything to that is not near. */
  gateways: readonly { region: string; addresses: readonly string[] }[];
}

export interface EngineFinding {
  what: string;
  /** `limited`: guests can be made, with less than they could have. `missing`: none can. */
  state: 'ok' | 'limited' | 'missing';
  /** What was found, or what is wrong with it and how it is put right. */
  found: string;
}

export type MoveKind = 'cold' | 'live';

export interface DriverCapabilities {
  /** Whether guests can be moved between hosts, and whether while they run: all, or those that `moveKind` says it of. */
  move: 'none' | MoveKind;
  /** Who reaches the guests: this node alone, which is then the only one on its database, or every node alike. */
  reach: 'this_node' | 'every_node';
  /** What a guest's screen speaks; where it is `none`, `openVnc` always throws. */
  screen: 'rfb' | 'none';
  /** Whether ports of a public address can be forwarded to guests. */
  portForwards: boolean;
  /** Protocols that no rule of the firewall can be of. */
  refusedProtocols: readonly FirewallEntry['protocol'][];
}

/** A machine that guests run on. */
export interface HostInfo {
  /** The same after every restart, and no other host's. */
  id: string;
  /** For the operator. */
  name: string;
  /**
   * False while nothing can be asked of it: its guests may run, so that each of them is listed as `unknown`, and whatever
   * is asked about one is a {@link ComputeUnavailableError}, even that it be removed.
   */
  reachable: boolean;
  capacity: HostCapacity;
}

/** Outages of simulated hosts: their guests run on, and nothing can be asked about them. */
export interface SimulatedOutages {
  lose(hostId: string): Promise<void>;
  find(hostId: string): Promise<void>;
}

export interface EngineTemplate {
  /** A smaller disk cannot hold it. */
  minDiskGb: number;
}

export interface GuestSize {
  vcpu: number;
  ramMb: number;
  diskGb: number;
  disk?: DiskSpeed;
  /** Each of its virtual CPUs has a core that no other guest runs on. */
  dedicated?: boolean;
}

/** How quickly a guest may read its disk, and write it: requests, and million bytes, a second. Absent: no limit. */
export interface DiskSpeed {
  iops?: number;
  mbps?: number;
}

export interface GuestSpec extends GuestSize {
  /** The VM's id: the guest's name on the engine. */
  id: string;
  /** Where it is to be. */
  hostId: string;
  hostname: string;
  /** The catalog's template code; the driver maps it to an image. */
  template: string;
  region: string;
  mac: string;
  addresses: GuestAddress[];
  /** authorized_keys lines, the ops key included. */
  authorizedKeys: string[];
  /** Initial password of the default user, if any. Handed to the guest, never kept in clear. */
  password?: string;
  /** cloud-init user data, if any. */
  userData?: string;
}

export interface GuestAddress {
  address: string;
  family: 4 | 6;
  prefix: number;
  gateway: string;
}

/**
 * A guest is on while it is `booting` or `running`. It is `running` once it is ready by the measure of its image, or was
 * waited for long enough: then a {@link GuestEvent} hints at that, and nothing else follows from it.
 */
export type PowerState = 'off' | 'booting' | 'running';

/** A guest at a glance: `unknown` where it may run and does not answer. */
export interface GuestSight {
  id: string;
  hostId: string;
  power: PowerState | 'unknown';
}

export interface GuestState extends Omit<GuestSize, 'dedicated'> {
  id: string;
  power: PowerState;
  /** Those that it answers on. */
  addresses: string[];
  /** Something inside the guest answers, so password and keys can be set. */
  agent: boolean;
  snapshotIds: string[];
}

export interface SnapshotInfo {
  sizeBytes: number;
  includesMemory: boolean;
}

/** Cumulative counters since the guest was powered on; a restart may reset them, never lower them otherwise. */
export interface GuestSample {
  id: string;
  at: Date;
  cpuSeconds: number;
  vcpu: number;
  ramUsedBytes: number;
  diskReadBytes: number;
  diskWriteBytes: number;
  diskReadOps: number;
  diskWriteOps: number;
  netInBytes: number;
  netOutBytes: number;
  netInPackets: number;
  netOutPackets: number;
  /** Absent where the engine limits neither. */
  refused?: RefusedPackets;
}

/** Packets that were refused beyond a guest's limits since it was powered on: of its connections, and of what it may send. */
export interface RefusedPackets {
  connections: number;
  packets: number;
}

export interface GuestVolume {
  name: string;
  sizeGb: number;
  usedBytes: number | null;
  type: string;
  boot: boolean;
  device: string;
}

export interface GuestEvent {
  /** The same happening always carries the same key, so that it is logged once. */
  key: string;
  id: string;
  /** `guest.ready` comes after the start or reboot had resolved; where that waited for it, there is none. */
  type: 'guest.powered_off' | 'guest.rebooted' | 'guest.ready' | 'guest.crashed' | 'guest.warning';
  level: 'info' | 'warning' | 'error';
  message: string;
  /** What would have told that the guest is ready, such as "port:22", where it has not come about in time. */
  waitedFor?: string;
  /** What the guest last wrote to its serial port, where that may say why. */
  consoleLog?: string;
  at: Date;
}
