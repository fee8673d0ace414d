import type {
  GuestAddress,
  GuestSize,
  GuestSpec,
  GuestVolume,
  NetworkPolicy,
  SnapshotInfo,
} from '../driver.ts';
import { diskUsedAt, type SimulatedGuest, usageAt } from './guest-os/model/guest.ts';
import { hashPassword } from './guest-os/model/password.ts';
import { NO_USAGE } from './guest-os/model/rhythm.ts';
import type { Operation } from './sentinels.ts';

/** Everything the simulator stores about a guest: the guest itself and what the engine knows about it. */
export interface Guest extends SimulatedGuest, GuestSize {
  /** The guest's host. Absent for a guest created when there was only one host: see {@link hostOf}. */
  host?: string;
  region: string;
  addresses: GuestAddress[];
  snapshots: Record<string, SnapshotInfo>;
  network: NetworkPolicy | null;
  /**
   * A rebuild that is neither finished nor undone, and what undoing it restores; `from` is null if it created the
   * guest.
   */
  rebuilt?: { by: string; from: Former | null };
  /** Operations whose one-time failure has already happened. */
  spent: Operation[];
}

/** Id and name of the only host, unless others are configured. */
export const ONLY_HOST = 'simulator';

export const hostOf = ({ host }: Pick<Guest, 'host'>): string => host ?? ONLY_HOST;

/** The parts of a guest that a rebuild changes, apart from the content of its disk. */
export type Former = Pick<
  Guest,
  'hostname' | 'mac' | 'addresses' | 'vcpu' | 'ramMb' | 'diskGb' | 'snapshots'
>;

/** Returns a new guest: off, without any usage. Hashes its password; ignores user data. */
export function newGuest(spec: GuestSpec): Guest {
  return {
    host: spec.hostId,
    hostname: spec.hostname,
    template: spec.template,
    region: spec.region,
    mac: spec.mac,
    addresses: spec.addresses,
    vcpu: spec.vcpu,
    ramMb: spec.ramMb,
    diskGb: spec.diskGb,
    dedicated: spec.dedicated,
    authorizedKeys: [...new Set(spec.authorizedKeys)],
    initialPassword: spec.password === undefined ? null : hashPassword(spec.password),
    passwords: {},
    snapshots: {},
    network: null,
    run: null,
    madeDiskGb: spec.diskGb,
    before: NO_USAGE,
    spent: [],
  };
}

/** Ends the current run: the guest is off, and its usage is kept. */
export function endRun(id: string, guest: Guest, now: number): void {
  guest.before = usageAt(id, guest, now);
  guest.run = null;
}

export function diskAt(id: string, guest: Guest, now: number): GuestVolume & { usedBytes: number } {
  const usedBytes = diskUsedAt(id, guest, now);
  return { name: 'root', sizeGb: guest.diskGb, usedBytes, type: 'ssd', boot: true, device: '/dev/vda' };
}
