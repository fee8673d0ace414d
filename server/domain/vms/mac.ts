import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { insertVm, type NewVm } from '../../db/queries/insert-vm.ts';
import type { VmRow } from '../../db/queries/vms.ts';

/** Of 16 million addresses one is free after two or three draws, however many are taken; more means that none is. */
const MAX_DRAWS = 50;

/** A random MAC address with QEMU's well-known prefix, so that it reads as a virtual NIC. */
export function newMac(): string {
  return ['52', '54', '00', ...[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0'))].join(
    ':',
  );
}

/** Writes a new VM with a MAC address that no other VM has; as it is stored. */
export async function insertVmWithMac(
  db: Queryable,
  vm: Omit<NewVm, 'mac'>,
  draw: () => string = newMac,
): Promise<VmRow> {
  for (let left = MAX_DRAWS; left > 0; left--) {
    const row = await insertVm(db, { ...vm, mac: draw() });
    if (row) return row;
  }
  throw new Error(`no free MAC address in ${MAX_DRAWS} draws`);
}
