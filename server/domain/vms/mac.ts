import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { insertVm, type NewVm } from '../../db/queries/vms/insert-vm.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';

/**
 * With 16 million addresses, a free one is found in two or three draws, however many are taken; after this many, none
 * is left.
 */
const MAX_DRAWS = 50;

/** Returns a random MAC address with QEMU's well-known prefix, which marks a virtual NIC. */
export function newMac(): string {
  return ['52', '54', '00', ...[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0'))].join(
    ':',
  );
}

/** Inserts a new VM with a MAC address that no other VM has. Returns the stored row. */
export async function insertVmWithMac(
  db: Queryable,
  vm: Omit<NewVm, 'mac'>,
  draw: () => string = newMac,
): Promise<VmRow> {
  for (let left = MAX_DRAWS; left > 0; left--) {
    const row = await insertVm(db, { ...vm, mac: draw() });
    if (row) return row;
  }
  throw new Error(`no free MAC address after ${MAX_DRAWS} attempts`);
}
