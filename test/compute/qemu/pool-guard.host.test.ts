import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CapacityError, type GuestEvent } from '../../../server/compute/driver.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { boot, openQemu, stayAlive, tinySpec } from './support.ts';

const MB = 2 ** 20;
const SIZE_MB = 500;
const RESERVE_MB = 160;
const KEY = freshKeyPair('test');
/** The free space beyond the reserve when the guest begins to write. */
const LEFT_MB = 60;
/** Slow enough for a check per second, however busy the machine is: a busy machine slows the guest down too. */
const WRITE =
  'for n in $(seq 60); do dd if=/dev/urandom of=/root/$n bs=1M count=3; sync; sleep 0.2; done; echo done';

test("a guest that writes is paused before it takes the database's space; others keep running", {
  skip: noSmallDisk || (await skipWithoutTinyImage()),
}, async (t) => {
  const image = (await tinyImage())!;
  defer(t, stayAlive());
  const disk = await smallDisk(t, SIZE_MB);
  const guests = join(disk.directory, 'g');
  await mkdir(guests);
  const reserve = { bytes: RESERVE_MB * MB, beside: disk.directory };
  const driver = openQemu(guests, image, { reserve });
  const [writer, other] = ['vm_writer', 'vm_other'].map((id) =>
    tinySpec({ id, authorizedKeys: [KEY.public] }),
  );
  defer(t, async () => {
    for (const { id } of await driver.list()) await driver.remove(id);
    await driver.close();
  });
  for (const spec of [writer!, other!]) {
    await driver.create(spec);
    await boot(driver, spec.id);
  }
  const told = new Promise<GuestEvent>((resolve) => {
    driver.watch((event) => event.id === 'vm_writer' && /is paused/.test(event.message) && resolve(event));
  });
  await disk.fill(RESERVE_MB + LEFT_MB);
  const written = inGuest(driver, 'vm_writer', { privateKey: KEY.private }, WRITE);
  assert.equal((await told).level, 'warning');

  const { bavail, bsize } = statfsSync(disk.directory);
  const freeMb = (bavail * bsize) / MB;
  t.diagnostic(
    `${Math.round(freeMb)} MB are free when the guest stands still, of a reserve of ${RESERVE_MB} MB`,
  );
  assert.ok(freeMb > RESERVE_MB / 2);
  assert.match(await inGuest(driver, 'vm_other', { privateKey: KEY.private }, 'echo well'), /^well\n/);
  const third = tinySpec({ id: 'vm_third' });
  await assert.rejects(driver.create(third), CapacityError);
  await assert.rejects(driver.createSnapshot('vm_other', 'snap_1'), CapacityError);

  await disk.makeRoom();
  assert.match(await written, /done\n$/);
  await driver.createSnapshot('vm_other', 'snap_1');
});
