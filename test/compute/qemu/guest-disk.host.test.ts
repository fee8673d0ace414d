import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createOverlay, OfflineDisk } from '../../../server/compute/qemu/disk/disk.ts';
import { runImage } from '../../../server/compute/qemu/disk/disk-image.ts';
import { lastWords } from '../../../server/compute/qemu/guest/console-log.ts';
import { Guest, type GuestRecord } from '../../../server/compute/qemu/guest/guest.ts';
import { createPrivilegedLauncher } from '../../../server/compute/qemu/host/privileged-launcher.ts';
import { findQemu } from '../../../server/compute/qemu/process/processes.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { GUEST_UIDS } from '../../support/guest-uids.ts';
import { skipUnlessInstalled } from '../../support/tiny-image.ts';
import { spec } from '../host/support.ts';

const skip = skipUnlessInstalled('qemu-img', 'mkfifo');
const ID = spec().id;
const MEGABYTE = 1_048_576;

/** Creates a stopped guest whose disk has an image as backing file. */
async function guestOf(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'd-'));
  defer(t, () => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  const base = join(root, 'image.qcow2');
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', base, '10M']);
  await chmod(base, 0o440);
  const directory = join(root, ID);
  await mkdir(directory);
  const guest = new Guest(directory, { id: ID, base, uid: GUEST_UIDS.from } as GuestRecord);
  await createOverlay(guest.file('disk'), base, 1);
  return { root, base, guest, disk: new OfflineDisk(guest, runImage) };
}

test('a disk of ours is grown, snapshotted and brought back', { skip }, async (t) => {
  const { disk, guest, base } = await guestOf(t);
  await disk.take('snap_1');
  await disk.grow(2);
  assert.deepEqual(await disk.names(), ['snap_1']);
  await disk.mend();
  await disk.revert('snap_1');
  await disk.drop('snap_1');
  assert.deepEqual(await disk.names(), []);
  const info = JSON.parse(
    execFileSync('qemu-img', ['info', '--output=json', guest.file('disk')], { encoding: 'utf8' }),
  );
  assert.equal(info['backing-filename'], base, 'which still stands on its image');
});

test('a header that a guest has written leads to no other file', { skip }, async (t) => {
  const { root, disk, guest } = await guestOf(t);
  const victim = join(root, 'victim');
  await writeFile(victim, '');
  const path = guest.file('disk');
  const before = await readFile(path);
  await rm(path);
  execFileSync('qemu-img', [
    'create',
    '-q',
    '-f',
    'qcow2',
    '-o',
    `data_file=${victim},data_file_raw=on`,
    path,
    '10M',
  ]);
  const size = (await stat(victim)).size;
  await assert.rejects(disk.grow(2), /cannot be used: /);
  await assert.rejects(disk.take('snap_1'), /cannot be used: /);
  assert.equal((await stat(victim)).size, size, 'nothing has grown');
  // With a pipe as backing file, qemu-img would wait forever.
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await writeFile(path, before);
  execFileSync('qemu-img', ['rebase', '-u', '-F', 'qcow2', '-b', join(root, 'pipe'), path]);
  await assert.rejects(disk.names(), /its backing file is/);
  const legacy = new Guest(guest.directory, { id: ID } as GuestRecord);
  await assert.rejects(new OfflineDisk(legacy, runImage).names(), /its backing file is/);
  // Even if the header is replaced after the check, the backing file is never opened.
  assert.match(await runImage({ id: ID, directory: guest.directory }, { do: 'info' }), /"virtual-size"/);
});

test('pipes in place of files block no one', { skip }, async (t) => {
  const { guest } = await guestOf(t);
  for (const name of ['pid', 'log', 'console'] as const) execFileSync('mkfifo', [guest.file(name)]);
  assert.equal(await findQemu(guest.directory, spec().uuid), undefined);
  assert.equal(await lastWords(guest.directory), '');
  await rm(guest.file('disk'));
  execFileSync('mkfifo', [guest.file('disk')]);
  await assert.rejects(new OfflineDisk(guest, runImage).names(), /is not a regular file/);
});

const rootOnly = skip || (process.getuid?.() !== 0 && 'not root');

test('with a helper qemu-img has the rights of the guest and no others', { skip: rootOnly }, async (t) => {
  const { root, guest } = await guestOf(t);
  const launcher = createPrivilegedLauncher({
    clock: systemClock,
    pool: root,
    images: root,
    user: { uid: 65_534, group: '65534', groups: [] },
    uids: GUEST_UIDS,
    command: () => [],
  });
  const owner = { id: ID, uid: GUEST_UIDS.from, directory: guest.directory };
  await chmod(guest.file('disk'), 0o600);
  await assert.rejects(launcher.image(owner, { do: 'info' }), /Permission denied/);
  await chmod(guest.file('disk'), 0o666);
  assert.match(await launcher.image(owner, { do: 'info' }), /"virtual-size"/);
  await launcher.image(owner, { do: 'grow', bytes: 1_024 * MEGABYTE });
  await assert.rejects(launcher.image({ ...owner, uid: 0 }, { do: 'info' }), {
    name: 'InvalidArgumentError',
  });
  await assert.rejects(launcher.image({ ...owner, directory: root }, { do: 'info' }), {
    name: 'InvalidArgumentError',
  });
});
