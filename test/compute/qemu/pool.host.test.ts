import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CapacityError } from '../../../server/compute/driver.ts';
import { Pool } from '../../../server/compute/qemu/disk/pool.ts';
import { ImageError } from '../../../server/compute/qemu/images/image-source.ts';
import { createImageStore } from '../../../server/compute/qemu/images/image-store.ts';
import { defer } from '../../support/cleanup.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';

const MB = 2 ** 20;

test('a reserve applies only to its own file system', { skip: noSmallDisk }, async (t) => {
  const disk = await smallDisk(t, 100);
  const elsewhere = await mkdtemp(join(tmpdir(), 'vauban-'));
  defer(t, () => rm(elsewhere, { recursive: true }));
  const pool = (beside: string) =>
    new Pool({ directory: disk.directory, reserve: { bytes: 50 * MB, beside } });
  assert.equal(await pool(elsewhere).reservedBytes(), 0);
  assert.equal(await pool(join(disk.directory, 'not', 'yet')).reservedBytes(), 50 * MB);
  await disk.fill(80);
  await pool(elsewhere).requireRoom();
  await assert.rejects(pool(disk.directory).requireRoom(), (error: Error) => {
    assert.ok(error instanceof CapacityError);
    assert.match(error.message, /has 30 MB free in addition to its reserve$/);
    return true;
  });
  assert.equal(await pool(elsewhere).hasRoom(), true);
  assert.equal(await pool(disk.directory).hasRoom(), false);
});

test('an image that would use up the reserve is not imported', { skip: noSmallDisk }, async (t) => {
  const { directory } = await smallDisk(t, 20);
  const disk = join(directory, 'disk.raw');
  await writeFile(disk, Buffer.alloc(2 * MB, 'x'));
  const source = { name: 'a', disk, user: 'root' };
  await assert.rejects(
    createImageStore(join(directory, 'images'), 17 * MB).import(source),
    (error: Error) => {
      assert.ok(error instanceof ImageError && error.field === 'disk', String(error));
      assert.match(error.message, /does not fit: 1 MB are free in addition to the reserve$/);
      return true;
    },
  );
});
