import { diskUsedAt, type SimulatedGuest, usageAt } from '../../simulated-guest/model/guest.ts';
import { hashPassword } from '../../simulated-guest/model/password.ts';
import { NO_USAGE } from '../../simulated-guest/model/rhythm.ts';
import type {
  GuestAddress,
  GuestSize,
  GuestSpec,
  GuestVolume,
  NetworkPolicy,
  SnapshotInfo,
} from '../driver.ts';
import type { Operation } from './sentinels.ts';

/** Everything the simulator remembers of a guest, as stored: the guest itself, and what the engine knows beside it. */
export interface Guest extends SimulatedGuest, GuestSize {
  /** Where it is; absent of one that was made when there was one host: see {@link hostOf}. */
  host?: string;
  region: string;
  addresses: GuestAddress[];
  snapshots: Record<string, SnapshotInfo>;
  network: NetworkPolicy | null;
  /** A rebuild whose end is open, and what it goes back to: null where it has made the guest. */
  rebuilt?: { by: string; from: Former | null };
  /** Operations whose one provoked failure has happened. */
  spent: Operation[];
}

/** Id and name of the host that there is where no other is asked for. */
export const ONLY_HOST = 'simulator';

/** The host that a guest is on. */
export const hostOf = ({ host }: Pick<Guest, 'host'>): string => host ?? ONLY_HOST;

/** Of a guest what a rebuild changes, beside what is on its disk. */
export type Former = Pick<
  Guest,
  'hostname' | 'mac' | 'addresses' | 'vcpu' | 'ramMb' | 'diskGb' | 'snapshots'
>;

/** The guest as it is made: off, and nothing used. Its password is hashed here; user data is dropped. */
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

/** Closes the books of the run: the guest is off, and what it used is kept. */
export function endRun(id: string, guest: Guest, now: number): void {
  guest.before = usageAt(id, guest, now);
  guest.run = null;
}

/** The guest's one disk. */
export function diskAt(id: string, guest: Guest, now: number): GuestVolume & { usedBytes: number } {
  const usedBytes = diskUsedAt(id, guest, now);
  return { name: 'root', sizeGb: guest.diskGb, usedBytes, type: 'ssd', boot: true, device: '/dev/vda' };
}
