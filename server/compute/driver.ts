import type { Duplex } from 'node:stream';
import type { EngineClusters } from './engine-clusters.ts';
import type { FirewallEntry, NetworkPolicy } from './network-policy.ts';
import type { HostCapacity } from './resources.ts';

export * from './driver-errors.ts';
export * from './engine-clusters.ts';
export * from './network-policy.ts';
export * from './resources.ts';

/**
 * The interface of a compute engine. Vauban decides *what* should exist; a driver makes it so on one engine (the
 * simulator, QEMU, a cluster). `contract.ts` is the executable form of this interface: every driver passes it.
 *
 * Every method is idempotent: called again with the same arguments, after a crash in the middle or after success, it
 * converges on the same result. A driver never imports `domain/` and never sees money.
 */
export interface ComputeDriver {
  readonly name: string;

  /** Verifies that the engine works here and describes it in one line for the start-up log. */
  probe(): Promise<DriverReport>;

  /**
   * Returns the id of the place where this engine keeps its guests, the same after every restart; null if they are in
   * the database. A VM is recorded with it: no other place is asked about its guest.
   */
  place(): Promise<string | null>;

  /** Returns the abilities that differ between engines. */
  capabilities(): DriverCapabilities;
  /**
   * Returns the machines that guests run on, with the capacity that the guests of each may use together, running or
   * off. Capacity is reserved when a VM is sold; `create`, `start` and `resize` check it again and throw
   * {@link CapacityError}. Throws {@link ComputeUnavailableError} if no host could take a guest.
   */
  hosts(): Promise<HostInfo[]>;
  /** Returns what guests of a catalog template need, in one region or any; undefined if there is no image for it. */
  findTemplate(code: string, region?: string): Promise<EngineTemplate | undefined>;

  /** Creates the guest with its disk on the given host. It is off. Succeeds if the id already exists. */
  create(spec: GuestSpec): Promise<void>;
  /** Powers the guest on and resolves once it is on, even if nothing in it answers. Succeeds if it is already on. */
  start(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Asks the guest to power off and resolves when it *is* off. Throws {@link ShutdownTimeoutError} if it is not off
   * within `timeoutSeconds`, and leaves it running. Succeeds if the guest is already off.
   */
  shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /** Cuts the power. Succeeds if the guest is off or does not exist. */
  powerOff(id: string): Promise<void>;
  /** Reboots gracefully if the guest obeys within `timeoutSeconds`, otherwise by a reset. Resolves when it boots again. */
  reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Removes the guest, its disk, snapshots and network. Succeeds if it certainly does not exist; throws while any part
   * of it is left.
   */
  remove(id: string): Promise<void>;
  /** Sets vCPU, memory and disk of a guest that is off. The disk can grow but not shrink. */
  resize(id: string, size: GuestSize): Promise<void>;

  /**
   * Moves the guest, with its disk, snapshots, addresses and rules, to another host: `live` while it runs, `cold` while
   * it is off. Succeeds if it is already there. If the move fails, the guest stays on its old host.
   */
  move(id: string, to: { hostId: string }, how: MoveKind, signal?: AbortSignal): Promise<void>;
  /** Returns how the guest can be moved now: an engine with live moves may not support them for every guest. */
  moveKind(id: string): Promise<MoveKind>;

  /** Sets a user's password inside a running guest. Throws {@link AgentUnavailableError} if that is impossible. */
  setPassword(id: string, username: string, password: string): Promise<void>;
  /** Allows `publicKey` (one authorized_keys line) to log in to a running guest as the image's default user. */
  authorizeKey(id: string, publicKey: string): Promise<void>;
  /** Removes `publicKey` from that user of a running guest. Succeeds if it is not authorized. */
  revokeKey(id: string, publicKey: string): Promise<void>;

  /** Takes a snapshot of the guest, on or off. */
  createSnapshot(id: string, snapshotId: string): Promise<SnapshotInfo>;
  /** Deletes a snapshot. Succeeds if it does not exist. */
  deleteSnapshot(id: string, snapshotId: string): Promise<void>;
  /**
   * Restores the disk of a guest that is off to its content at the snapshot. All snapshots are kept, and so is the
   * size: anything the disk has grown by since is blank. Throws, leaving the disk unchanged, if there is no such
   * snapshot.
   */
  restoreSnapshot(id: string, snapshotId: string): Promise<void>;

  /**
   * Reinstalls the guest. It is then off and as `create` would make it, but keeps its network rules. Refuses a guest
   * that is on and creates one that does not exist. Its previous state, including snapshots, is set aside under
   * `rebuildId` until `finishRebuild` or `undoRebuild`. Anything left by another rebuild is discarded.
   */
  rebuild(spec: GuestSpec, rebuildId: string): Promise<void>;
  /** Discards what the rebuild has set aside. Succeeds if there is nothing under that id. */
  finishRebuild(id: string, rebuildId: string): Promise<void>;
  /**
   * Restores what the rebuild has set aside; the guest must be off. If the rebuild created the guest, it is removed.
   * Succeeds if there is nothing under that id.
   */
  undoRebuild(id: string, rebuildId: string): Promise<void>;

  /** Replaces the guest's firewall and port forwards atomically. If it is off, they apply from its next start. */
  applyNetwork(id: string, policy: NetworkPolicy): Promise<void>;

  /**
   * Returns one guest as the engine sees it. Undefined means that there is certainly none with that id. While the guest
   * cannot be seen because its process or its files do not answer, this and every other method about it except for
   * `powerOff` and `remove` throws {@link ComputeUnavailableError}. No restart is needed once it can be seen again.
   */
  inspect(id: string): Promise<GuestState | undefined>;
  /**
   * Lists all guests, including those that cannot be seen, for the reconciler to compare with the database. Waits for
   * no guest. Throws if the list would be incomplete.
   */
  list(): Promise<GuestSight[]>;
  /** Returns current readings. Leaves out guests that are off, but not those in which nothing answers. */
  sample(ids: string[]): Promise<GuestSample[]>;
  /** Returns the volumes of one guest; empty if it does not exist. */
  volumes(id: string): Promise<GuestVolume[]>;

  /**
   * Opens a connection to the guest's screen, which speaks RFB (VNC) from its first byte. Throws
   * {@link AgentUnavailableError} if the guest is off. The caller destroys the stream. Read it by `data` events: a
   * chunk's bytes are valid only until the handler returns, or as long as the stream is paused.
   */
  openVnc(id: string): Promise<Duplex>;
  /**
   * Opens a connection to port 22 of a running guest, which speaks SSH from its first byte. Throws
   * {@link AgentUnavailableError} if nothing listens there. The caller destroys the stream.
   */
  openSsh(id: string): Promise<Duplex>;

  /**
   * Reports events that guests cause themselves (power off, crash, warning) to `listener` until the returned function
   * is called. An event may be reported more than once, always with the same `key`.
   */
  watch(listener: (event: GuestEvent) => void): () => void;
  /**
   * Checks item by item whether the engine has what guests need, for an operator who sets it up. Absent if the engine
   * is just this host.
   */
  readonly check?: (wants: EngineWants) => Promise<EngineFinding[]>;
  /** Clusters of other regions, which an operator adds. Absent if there can be only one. */
  readonly clusters?: EngineClusters;
  /** Simulates outages of hosts. Absent if the hosts are real. */
  readonly outages?: SimulatedOutages;
  /** Releases timers and connections; guests keep running. */
  close(): Promise<void>;
}

export interface DriverReport {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

/** The parts of the catalog that an engine must support. */
export interface EngineWants {
  templates: readonly string[];
  zones: readonly string[];
  /** Gateways of each region, IPv4 first, for all traffic that leaves a guest's own link. */
  gateways: readonly { region: string; addresses: readonly string[] }[];
}

export interface EngineFinding {
  what: string;
  /** `limited`: guests can be created, but not with everything they could have. `missing`: none can be created. */
  state: 'ok' | 'limited' | 'missing';
  /** The state found, or the problem and how to fix it. */
  found: string;
}

export type MoveKind = 'cold' | 'live';

export interface DriverCapabilities {
  /** Support for moving guests between hosts. With `live`, `moveKind` tells which ones can be moved while they run. */
  move: 'none' | MoveKind;
  /** The nodes that reach the guests: every node, or only this one, which is then the only one on its database. */
  reach: 'this_node' | 'every_node';
  /** The protocol of guests' screens. If it is `none`, `openVnc` always throws. */
  screen: 'rfb' | 'none';
  /** True if ports of a public address can be forwarded to guests. */
  portForwards: boolean;
  /** Protocols that firewall rules cannot use. */
  refusedProtocols: readonly FirewallEntry['protocol'][];
}

/** A machine that guests run on. */
export interface HostInfo {
  /** The same after every restart, and unique among hosts. */
  id: string;
  /** For the operator. */
  name: string;
  /**
   * False while the host cannot be asked anything. Its guests may still run, so each is listed as `unknown`, and every
   * method about one throws {@link ComputeUnavailableError}, even `remove`.
   */
  reachable: boolean;
  capacity: HostCapacity;
}

/** Outages of simulated hosts: their guests keep running, but nothing can be asked about them. */
export interface SimulatedOutages {
  lose(hostId: string): Promise<void>;
  find(hostId: string): Promise<void>;
}

export interface EngineTemplate {
  /** A smaller disk cannot hold the image. */
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

/** Limits for reading and for writing each, in requests per second and megabytes per second. Absent means unlimited. */
export interface DiskSpeed {
  iops?: number;
  mbps?: number;
}

export interface GuestSpec extends GuestSize {
  /** The VM's id: the guest's name on the engine. */
  id: string;
  hostId: string;
  hostname: string;
  /** The catalog's template code; the driver maps it to an image. */
  template: string;
  region: string;
  mac: string;
  addresses: GuestAddress[];
  /** authorized_keys lines, including the ops key. */
  authorizedKeys: string[];
  /** Initial password of the default user, if any. Passed to the guest, never stored in plain text. */
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
 * A guest is on while it is `booting` or `running`. It becomes `running` when it passes its image's readiness check, or
 * when the wait for that has timed out. A timeout is only reported as a {@link GuestEvent}; it has no other effect.
 */
export type PowerState = 'off' | 'booting' | 'running';

/** Summary of a guest. Its power is `unknown` if it may run but does not answer. */
export interface GuestSight {
  id: string;
  hostId: string;
  power: PowerState | 'unknown';
}

export interface GuestState extends Omit<GuestSize, 'dedicated'> {
  id: string;
  power: PowerState;
  /** The addresses it was given. */
  addresses: string[];
  /** Something inside the guest answers, so password and keys can be set. */
  agent: boolean;
  snapshotIds: string[];
}

export interface SnapshotInfo {
  sizeBytes: number;
  includesMemory: boolean;
}

/** Counters since the guest was powered on. They only grow, but a restart may reset them. */
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
  /** Absent if the engine limits neither. */
  refused?: RefusedPackets;
}

/** Packets refused since power-on because the guest exceeded its limit of connections, or of packets sent. */
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
  /** The same event always has the same key, so that it is recorded only once. */
  key: string;
  id: string;
  /** Comes after the start or reboot has resolved; there is no `guest.ready` if that already waited for readiness. */
  type: 'guest.powered_off' | 'guest.rebooted' | 'guest.ready' | 'guest.crashed' | 'guest.warning';
  level: 'info' | 'warning' | 'error';
  message: string;
  /** The readiness check that did not succeed in time, such as "port:22". */
  waitedFor?: string;
  /** The end of the guest's serial output, if that may explain the event. */
  consoleLog?: string;
  at: Date;
}
