import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { syncPath } from '../../../platform/durable-file.ts';
import type { GuestSpec } from '../../driver.ts';
import { createOverlay, SHARED_FILE_MODE } from '../disk/disk.ts';
import type { Image } from '../images/image.ts';
import { TEMPLATE } from '../images/warm.ts';
import type { GuestRecord } from './guest.ts';
import { writeGuestFile } from './guest-file.ts';

/** Creates a disk based on `base`, and the seed. Both are durable once this resolves. */
export async function furnish(
  { disk, seed }: { disk: string; seed: string },
  base: string,
  diskGb: number,
  content: Buffer,
): Promise<void> {
  await createOverlay(disk, base, diskGb);
  await writeGuestFile(seed, content, SHARED_FILE_MODE);
  await Promise.all([disk, seed].map(syncPath));
}

/** Returns the record of a new guest. `of` is the warm template that it continues from, if any. */
export function newRecord(spec: GuestSpec, image: Image, of?: string): GuestRecord {
  const { user, directBoot, readiness, readyWithinSeconds, disk } = image;
  const { id, hostname, template, mac, addresses, vcpu, ramMb, diskGb, disk: speed, dedicated } = spec;
  return {
    id,
    uuid: randomUUID(),
    hostname,
    template,
    user,
    mac,
    addresses,
    vcpu,
    ramMb,
    diskGb,
    disk: speed,
    dedicated,
    directBoot,
    readiness,
    readyWithinSeconds,
    base: of === undefined ? disk : join(of, TEMPLATE.disk),
    clone: of === undefined ? undefined : { of, image: disk, asleep: true },
    snapshots: {},
    policy: null,
    run: null,
    happenings: [],
  };
}
