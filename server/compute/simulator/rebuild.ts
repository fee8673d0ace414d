import type { GuestSpec } from '../driver.ts';
import { emptyDisk, keepDisk, takeBackDisk } from './disks.ts';
import { type Former, type Guest, newGuest } from './guest.ts';
import type { Work } from './operations.ts';
import type { Disks } from './store.ts';

// The changes that a rebuild makes to the stored guest.

/** Returns the guest for a rebuild of one that did not exist. Undoing that rebuild removes the guest. */
export function madeBy(spec: GuestSpec, rebuildId: string): Guest {
  return { ...newGuest(spec), rebuilt: { by: rebuildId, from: null } };
}

export const rebuilt =
  (spec: GuestSpec, rebuildId: string): Work<void> =>
  async (guest, now, disks) => {
    const { id } = spec;
    if (guest.rebuilt?.by === rebuildId) return;
    if (guest.run) throw new Error(`${id} must be off to be rebuilt`);
    const stale = guest.rebuilt;
    const { hostname, mac, addresses, vcpu, ramMb, diskGb, snapshots } = guest;
    await keepDisk(disks, id, rebuildId, guest, now);
    const { host, network, before, spent, unwrittenBytes, ...blank } = newGuest(spec);
    const from: Former = { hostname, mac, addresses, vcpu, ramMb, diskGb, snapshots };
    Object.assign(guest, blank, { rebuilt: { by: rebuildId, from } });
    await emptyDisk(disks, id, guest, now);
    if (stale) await dropDisks(disks, stale);
  };

export const rebuildFinished =
  (rebuildId: string): Work<void> =>
  async (guest, _now, disks) => {
    const open = guest.rebuilt;
    if (open?.by !== rebuildId) return;
    delete guest.rebuilt;
    await dropDisks(disks, open);
  };

/** Returns `unmade` if the rebuild created the guest, which must then be removed. */
export const rebuildUndone =
  (id: string, rebuildId: string): Work<'kept' | 'unmade'> =>
  async (guest, now, disks) => {
    const open = guest.rebuilt;
    if (open?.by !== rebuildId) return 'kept';
    if (guest.run) throw new Error(`${id} must be off for its rebuild to be undone`);
    if (!open.from) return 'unmade';
    await takeBackDisk(disks, id, rebuildId, guest, now);
    Object.assign(guest, open.from);
    delete guest.rebuilt;
    await disks.drop(rebuildId);
    return 'kept';
  };

/** Deletes the disk that a rebuild has set aside, and its snapshots. */
async function dropDisks(disks: Disks, { by, from }: NonNullable<Guest['rebuilt']>): Promise<void> {
  for (const name of [by, ...Object.keys(from?.snapshots ?? {})]) await disks.drop(name);
}
