import type { Duplex } from 'node:stream';

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

  /** Throws {@link CapacityError} when a guest of this size cannot be placed. Changes nothing. */
  admit(size: GuestSize, region: string): Promise<void>;

  /** Makes the guest, off, with its disk. Repeating it for an existing id is a success. */
  create(spec: GuestSpec): Promise<void>;
  /** Powers the guest on and resolves when it has booted. A running guest is a success. */
  start(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Asks the guest to power off and resolves when it *is* off; throws {@link ShutdownTimeoutError} when it
   * is not within `timeoutSeconds`, leaving it running. A guest that is off is a success.
   */
  shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /** Cuts the power. A guest that is off, or absent, is a success. */
  powerOff(id: string): Promise<void>;
  /** Restarts the guest, gracefully if it obeys within `timeoutSeconds`, else by a reset. */
  reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /** Removes the guest, its disk, snapshots and network. An absent guest is a success. */
  remove(id: string): Promise<void>;
  /** Sets vCPU, memory and disk of a guest that is off. The disk grows, never shrinks. */
  resize(id: string, size: GuestSize): Promise<void>;

  /** Sets a user's password inside a running guest; {@link AgentUnavailableError} when it cannot. */
  setPassword(id: string, username: string, password: string): Promise<void>;
  /** Lets `publicKey` (one authorized_keys line) log in as the image's default user of a running guest. */
  authorizeKey(id: string, publicKey: string): Promise<void>;

  /** Takes a snapshot of the guest, on or off. */
  createSnapshot(id: string, snapshotId: string): Promise<SnapshotInfo>;
  /** Deletes a snapshot; an absent one is a success. */
  deleteSnapshot(id: string, snapshotId: string): Promise<void>;

  /** Makes the guest's firewall and port forwards exactly this, atomically; remembered while it is off. */
  applyNetwork(id: string, policy: NetworkPolicy): Promise<void>;

  /** One guest as the engine sees it, or undefined when it has none of that id. */
  inspect(id: string): Promise<GuestState | undefined>;
  /** Ids of all guests the engine holds: what the reconciler compares with the database. */
  list(): Promise<string[]>;
  /** Current readings of the given guests; one that is not running is left out. */
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
  /** Lets go of timers and connections; guests go on running. */
  close(): Promise<void>;
}

export interface DriverReport {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

export interface GuestSize {
  vcpu: number;
  ramMb: number;
  diskGb: number;
}

export interface GuestSpec extends GuestSize {
  /** The VM's id: the guest's name on the engine. */
  id: string;
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

export type PowerState = 'off' | 'booting' | 'running';

export interface GuestState extends GuestSize {
  id: string;
  power: PowerState;
  /** Something inside a running guest answers, so password and keys can be set. */
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
  type: 'guest.powered_off' | 'guest.rebooted' | 'guest.crashed' | 'guest.warning';
  level: 'info' | 'warning' | 'error';
  message: string;
  /** What the guest last wrote to its serial port, where that may say why. */
  consoleLog?: string;
  at: Date;
}

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
}

/** The engine cannot be reached or is failing; trying later may work. */
export class ComputeUnavailableError extends Error {
  override name = 'ComputeUnavailableError';
}
/** The engine works and has no room. */
export class CapacityError extends Error {
  override name = 'CapacityError';
}
/** The guest did not power off in time. */
export class ShutdownTimeoutError extends Error {
  override name = 'ShutdownTimeoutError';
}
/** Nothing inside the guest answers, so it cannot be changed from the inside. */
export class AgentUnavailableError extends Error {
  override name = 'AgentUnavailableError';
}
/** A disk was asked to become smaller. */
export class DiskShrinkError extends Error {
  override name = 'DiskShrinkError';
}
