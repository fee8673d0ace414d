import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { collectImages } from '../../server/compute/qemu/images/image-collection.ts';
import { createImageStore } from '../../server/compute/qemu/images/image-store.ts';
import { defer } from '../support/cleanup.ts';
import { skipUnlessInstalled } from '../support/tiny-image.ts';
import { temporaryDirectory } from './host/support.ts';
import { openQemu, stayAlive, tinySpec } from './qemu/support.ts';

const options = { skip: skipUnlessInstalled('qemu-img') };
const HOUR_MS = 3_600_000;
const later = () => new Date(Date.now() + 2 * HOUR_MS);

async function site(t: TestContext) {
  const dataDir = await temporaryDirectory(t);
  defer(t, stayAlive());
  const store = createImageStore(join(dataDir, 'images'));
  /** Imports an image; each size gives a different disk and kernel. */
  const bring = async (size: number, directBoot = false) => {
    const disk = join(dataDir, 'new.qcow2');
    execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', disk, `${size}M`]);
    await writeFile(join(dataDir, 'kernel'), `kernel ${size}`);
    const boot = { kernel: join(dataDir, 'kernel'), initrd: join(dataDir, 'kernel'), append: '' };
    return store.import({ name: 'tiny', disk, user: 'root', ...(directBoot && { directBoot: boot }) });
  };
  const guests = join(dataDir, 'guests');
  const driver = openQemu(guests, (await bring(1, true))!, { images: store });
  defer(t, () => driver.close());
  const files = async () => (await readdir(join(dataDir, 'images/files'))).sort();
  return { dataDir, store, bring, guests, driver, files };
}

test('files stay as long as guests are based on them, and are deleted with the last', options, async (t) => {
  const { dataDir, store, bring, driver, files } = await site(t);
  const old = await files();
  assert.equal(old.length, 2, 'a disk, and a kernel that is its own initrd');
  const spec = tinySpec();
  await driver.create(spec);
  const { sha256 } = await bring(2);
  assert.deepEqual(await collectImages({ dataDir }, later()), { files: 0, bytes: 0 });
  assert.deepEqual(await files(), [...old, sha256].sort());

  await driver.remove(spec.id);
  assert.deepEqual(
    await collectImages({ dataDir }, new Date()),
    { files: 0, bytes: 0 },
    'what is new is left alone',
  );
  const { files: removed, bytes } = await collectImages({ dataDir }, later());
  assert.equal(removed, 2);
  assert.ok(bytes > 0);
  assert.deepEqual(await files(), [sha256]);

  assert.equal(await store.remove('tiny'), true);
  assert.equal(await store.remove('tiny'), false);
  assert.equal(await store.remove('../guests/x'), false);
  assert.deepEqual(await store.list(), []);
  assert.equal((await collectImages({ dataDir }, later())).files, 1);
  assert.deepEqual(await files(), []);
});

test(
  'an interrupted operation is repaired, and nothing is deleted while its users are unknown',
  options,
  async (t) => {
    const { dataDir, store, bring, guests, driver, files } = await site(t);
    const spec = tinySpec();
    await driver.create(spec);
    await store.remove('tiny');
    const before = await files();
    const at = (name: string) => join(dataDir, 'images/files', name);
    await rename(at(before[0]!), at(`${before[0]}.going`));
    await writeFile(at('x.unfinished'), 'of an import that never ended');
    assert.equal((await collectImages({ dataDir }, later())).files, 1);
    assert.deepEqual(await files(), before);

    const path = join(guests, spec.id, 'guest.json');
    const record = await readFile(path, 'utf8');
    await writeFile(path, record.slice(0, 100));
    await assert.rejects(
      collectImages({ dataDir }, later()),
      /guest\.json cannot be read, so the files that it needs are unknown/,
    );
    assert.deepEqual(await files(), before);
    await writeFile(path, record);

    await bring(2);
    const all = await files();
    const image = join(dataDir, 'images/tiny.json');
    await writeFile(image, (await readFile(image, 'utf8')).slice(0, 10));
    await assert.rejects(collectImages({ dataDir }, later()), /tiny\.json cannot be read/);
    assert.deepEqual(await files(), all);
  },
);
