import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ImageError, type ImageSource } from '../../server/compute/qemu/images/image-source.ts';
import { createImageStore } from '../../server/compute/qemu/images/image-store.ts';
import { defer } from '../support/cleanup.ts';
import { skipUnlessInstalled } from '../support/tiny-image.ts';

const MIB = 2 ** 20;
const options = { skip: skipUnlessInstalled('qemu-img') };

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Creates an empty store and a directory for files to import. */
function workshop(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-images-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const at = (name: string) => join(directory, name);
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(at(name), content);
    return at(name);
  };
  /** Creates a disk of 2 MiB with a partition table; `mark` makes its content unique. */
  const raw = (name: string, mark = 'x') => {
    const bytes = Buffer.alloc(2 * MIB);
    bytes.write('\x55\xaa', 510, 'latin1');
    bytes.write(mark, MIB);
    return file(name, bytes);
  };
  const qcow2 = (name: string, mark = 'x', ...more: string[]) => {
    const source = raw(`${name}.raw`, mark);
    execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', ...more, source, at(name)]);
    return at(name);
  };
  const images = at('images');
  return { at, file, raw, qcow2, images, store: createImageStore(images) };
}

test(
  'a qcow2 disk is kept byte for byte under its hash, read-only, and found by its name',
  options,
  async (t) => {
    const { qcow2, store } = workshop(t);
    const disk = qcow2('disk.qcow2');
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.find('alpine-3.22'), undefined);
    const image = await store.import({ name: 'alpine-3.22', disk, user: 'alpine', sha256: sha256(disk) });
    assert.deepEqual(image, {
      name: 'alpine-3.22',
      sha256: sha256(disk),
      disk: image.disk,
      virtualBytes: 2 * MIB,
      user: 'alpine',
    });
    assert.equal(sha256(image.disk), image.sha256);
    assert.equal(statSync(image.disk).mode & 0o222, 0);
    assert.deepEqual(await store.find('alpine-3.22'), image);
    assert.deepEqual(await store.list(), [image]);
  },
);

test('a raw disk becomes qcow2; the published file is checked', options, async (t) => {
  const { raw, store, at } = workshop(t);
  const disk = raw('disk.img', 'hello');
  const image = await store.import({ name: 'a', disk, user: 'root', sha256: sha256(disk) });
  assert.equal(image.virtualBytes, 2 * MIB);
  assert.equal(image.sha256, sha256(image.disk));
  execFileSync('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', image.disk, at('back.img')]);
  assert.equal(sha256(at('back.img')), sha256(disk));
});

test('kernel and initrd are kept with the disk', options, async (t) => {
  const { file, qcow2, store } = workshop(t);
  const directBoot = { kernel: file('k', 'kernel'), initrd: file('i', 'initrd'), append: 'quiet' };
  await store.import({ name: 'a', disk: qcow2('d'), user: 'root', directBoot });
  const found = (await store.find('a'))?.directBoot;
  assert.equal(readFileSync(found!.kernel, 'utf8'), 'kernel');
  assert.equal(readFileSync(found!.initrd, 'utf8'), 'initrd');
  assert.equal(found!.append, 'quiet');
});

test(
  'importing again changes nothing; another disk moves the name and leaves the disk that guests stand on',
  options,
  async (t) => {
    const { images, qcow2, store } = workshop(t);
    const source = { name: 'a', disk: qcow2('one', 'one'), user: 'root' };
    const first = await store.import(source);
    const content = readdirSync(images, { recursive: true });
    assert.deepEqual(await store.import(source), first);
    assert.deepEqual(readdirSync(images, { recursive: true }), content);

    const second = await store.import({ ...source, disk: qcow2('two', 'two') });
    assert.notEqual(second.sha256, first.sha256);
    assert.deepEqual(await store.list(), [second]);
    assert.equal(sha256(first.disk), first.sha256);
  },
);

test('imports at the same time do not disturb each other', options, async (t) => {
  const { images, qcow2, store } = workshop(t);
  const disk = qcow2('d');
  const names = ['a', 'b', 'a', 'c'];
  const made = await Promise.all(names.map((name) => store.import({ name, disk, user: 'root' })));
  assert.equal(new Set(made.map((image) => image.disk)).size, 1);
  assert.deepEqual(
    (await store.list()).map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(readdirSync(join(images, 'files')).length, 1);
});

test('every error is named, and nothing remains', options, async (t) => {
  const { at, file, qcow2, raw, images, store } = workshop(t);
  const good = { name: 'a', disk: qcow2('good'), user: 'root' };
  const kept = await store.import(good);
  const content = readdirSync(images, { recursive: true });
  const edit = (name: string, change: (bytes: Buffer) => void) => {
    const bytes = readFileSync(good.disk);
    change(bytes);
    return file(name, bytes);
  };
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', raw('base'), at('overlay')]);
  const external = ['-f', 'qcow2', '-o', `data_file=${at('data')}`, at('external'), '2M'];
  execFileSync('qemu-img', ['create', '-q', ...external]);
  execFileSync('qemu-img', ['create', '-q', '-f', 'vmdk', at('vmdk'), '2M']);
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', at('huge'), '3T']);
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', at('tiny'), '64K']);
  mkdirSync(at('folder'));
  const boot = { kernel: file('kernel', 'k'), initrd: at('nowhere'), append: '' };
  const cases: [Partial<ImageSource>, string, RegExp][] = [
    [{ name: '../a' }, 'name', /lower-case/],
    [{ user: 'ro ot' }, 'user', /Unix user/],
    [{ sha256: 'ABC' }, 'sha256', /64 hexadecimal/],
    [{ sha256: '0'.repeat(64) }, 'sha256', /does not match: that of the disk is [0-9a-f]{64}$/],
    [{ disk: at('nothing') }, 'disk', /nothing does not exist/],
    [{ disk: at('folder') }, 'disk', /folder is not a file/],
    [{ disk: file('short', 'short') }, 'disk', /too short/],
    [{ disk: file('noise', Buffer.alloc(4096, 'noise')) }, 'disk', /neither a qcow2 disk nor a raw disk/],
    [{ disk: file('packed', Buffer.alloc(600, '\x1f\x8b', 'latin1')) }, 'disk', /compressed with gzip/],
    [{ disk: at('vmdk') }, 'disk', /is a VMDK disk/],
    [{ disk: at('overlay') }, 'disk', /has a backing file/],
    [{ disk: at('external') }, 'disk', /keeps its data in another file/],
    [{ disk: edit('locked', (bytes) => bytes.writeUInt32BE(2, 32)) }, 'disk', /is encrypted/],
    [{ disk: edit('future', (bytes) => bytes.writeUInt32BE(9, 4)) }, 'disk', /qcow2 version 9/],
    [{ disk: edit('broken', (bytes) => bytes.fill(0xee, 0x20000, 0x30000)) }, 'disk', /refused by qemu-img/],
    [{ disk: at('huge') }, 'disk', /virtual size of 3298534883328 bytes/],
    [{ disk: at('tiny') }, 'disk', /virtual size of 65536 bytes/],
    [{ readiness: 'ssh' }, 'ready', /port:NUMBER, agent, cloud-init or none/],
    [{ readiness: 'port:65536' }, 'ready', /port:NUMBER/],
    [{ readyWithinSeconds: 0 }, 'ready_within_seconds', /whole number from 1 to 3600/],
    [{ directBoot: boot }, 'initrd', /nowhere does not exist/],
    [{ directBoot: { ...boot, append: 'a\nb' } }, 'append', /printable/],
  ];
  for (const [wrong, field, message] of cases) {
    await assert.rejects(store.import({ ...good, ...wrong }), (error: unknown) => {
      assert.ok(error instanceof ImageError, String(error));
      assert.equal(error.field, field, error.message);
      assert.match(error.message, message);
      assert.ok(!error.message.includes(images), error.message);
      return true;
    });
  }
  assert.deepEqual(await store.list(), [kept]);
  const unfinished = readdirSync(images, { recursive: true }).filter((name) =>
    String(name).includes('unfinished'),
  );
  assert.deepEqual(unfinished, []);
  // A valid kernel may stay although its initrd was invalid: it has its own name and does no harm.
  assert.ok(readdirSync(images, { recursive: true }).length <= content.length + 1);
});

test(
  'a record that cannot be read is an error, not an absent image, and hides no other',
  options,
  async (t) => {
    const { images, qcow2, store } = workshop(t);
    await store.import({ name: 'a', disk: qcow2('d'), user: 'root' });
    const other = await store.import({ name: 'b', disk: qcow2('d'), user: 'root' });
    for (const cut of ['{', '', '{"user":"root"}']) {
      writeFileSync(join(images, 'a.json'), cut);
      await assert.rejects(store.find('a'), /the image a cannot be read/);
      assert.deepEqual(await store.list(), [other]);
      assert.deepEqual(await store.unreadable(), ['a']);
    }
    assert.equal(await store.remove('a'), true);
    assert.deepEqual(await store.unreadable(), []);
    chmodSync(images, 0o755);
  },
);
