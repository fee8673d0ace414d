import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { backingFileOf, checkDisk } from '../../../server/compute/qemu/disk/disk-header.ts';
import { boundQemuLog, consoleTail, lastWords } from '../../../server/compute/qemu/guest/console-log.ts';
import { Guest } from '../../../server/compute/qemu/guest/guest.ts';
import { askAgent } from '../../../server/compute/qemu/guest/guest-agent.ts';
import {
  connectGuestSocket,
  OWN,
  openGuestFile,
  reachGuestSocket,
  readGuestFile,
  writeGuestFile,
} from '../../../server/compute/qemu/guest/guest-file.ts';
import { FILES } from '../../../server/compute/qemu/process/arguments.ts';
import { findQemu } from '../../../server/compute/qemu/process/processes.ts';
import { Monitor } from '../../../server/compute/qemu/process/qmp.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { writeDurably } from '../../../server/platform/durable-file.ts';
import { defer } from '../../support/cleanup.ts';

const SECRET = 'the key of the installation';
const UUID = '0d5f1a52-3c8e-4b11-9d1e-0123456789ab';

/** Creates a guest's directory next to a file that does not belong to the guest. */
async function places(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'g-'));
  defer(t, () => rm(root, { recursive: true, force: true }));
  const directory = join(root, 'vm_01');
  await mkdir(directory);
  const secret = join(root, 'secret');
  await writeFile(secret, SECRET);
  return { directory, secret, at: (name: keyof typeof FILES) => join(directory, FILES[name]) };
}

/** Things other than a symbolic link that may be in place of a file. */
const OTHERS: [string, (path: string, secret: string) => Promise<unknown>][] = [
  ['a link', (path, secret) => symlink(secret, path)],
  ['another name of a file', (path, secret) => link(secret, path)],
  ['a link to nothing', (path) => symlink(`${path}-none`, path)],
  ['a directory', (path) => mkdir(path)],
  ['a device', (path) => symlink('/dev/zero', path)],
  ['a socket', (path) => new Promise<void>((made) => createServer().listen(path, made).unref())],
];

for (const [what, put] of OTHERS) {
  test(`${what} is not read for a guest's file`, async (t) => {
    const { directory, secret, at } = await places(t);
    for (const name of ['log', 'console', 'pid', 'disk'] as const) await put(at(name), secret);
    assert.equal(await lastWords(directory), '');
    assert.equal(await consoleTail(at('console')), '');
    await boundQemuLog(at('log'));
    assert.equal(await findQemu(directory, UUID), undefined);
    await assert.rejects(checkDisk(at('disk')));
    await assert.rejects(readGuestFile(at('pid'), 100), { name: 'GuestFileError' });
    await put(at('record'), secret);
    await assert.rejects(Guest.read(directory), /guest.json cannot be read/);
    assert.equal(await readFile(secret, 'utf8'), SECRET);
  });

  test(`a file written in place of ${what} changes nothing else`, async (t) => {
    const { directory, secret, at } = await places(t);
    await put(at('seed'), secret);
    await writeGuestFile(at('seed'), 'a seed', 0o600);
    assert.equal(await readFile(at('seed'), 'utf8'), 'a seed');
    await put(join(directory, 'guest.json.new'), secret);
    await writeDurably(at('record'), '{}', 0o600);
    assert.equal(await readFile(at('record'), 'utf8'), '{}');
    assert.equal(await readFile(secret, 'utf8'), SECRET);
  });
}

test("a guest's file is read only up to the requested size, and only if its owner is right", async (t) => {
  const { at } = await places(t);
  await writeFile(at('log'), 'x'.repeat(1_000_000));
  assert.equal((await readGuestFile(at('log'), 10)).toString(), 'x'.repeat(10));
  const stranger = { owners: [4_000_000_000] };
  await assert.rejects(readGuestFile(at('log'), 10, stranger), {
    name: 'GuestFileError',
    message: /is owned by user/,
  });
  await (await openGuestFile(at('log'), constants.O_RDONLY, { owners: OWN })).close();
  await assert.rejects(readGuestFile(at('pid'), 10), { code: 'ENOENT' });
});

test("QEMU's messages cannot control a terminal", async (t) => {
  const { directory, at } = await places(t);
  await writeFile(at('log'), 'first\r\n\x1b[2J\x1b]0;title\x07second\x00\x9b1m\n');
  const words = await lastWords(directory);
  assert.match(words, /^first\n/);
  assert.doesNotMatch(words.replaceAll('\n', ''), /\p{Cc}/u);
});

test('a link to a socket of the host is not connected to', async (t) => {
  const { directory, at } = await places(t);
  let came = 0;
  const helper = createServer(() => came++);
  const path = join(directory, 'helper');
  await new Promise<void>((ready) => helper.listen(path, ready));
  defer(t, () => void helper.close());
  for (const name of ['monitor', 'agent', 'vnc'] as const) await symlink(path, at(name));
  await assert.rejects(
    Monitor.connect(at('monitor'), systemClock, () => {}),
    { name: 'GuestFileError' },
  );
  await assert.rejects(askAgent(systemClock, at('agent'), 'guest-ping'), { name: 'AgentUnavailableError' });
  await assert.rejects(connectGuestSocket(at('vnc')), { name: 'GuestFileError' });
  assert.equal(came, 0);
  (await connectGuestSocket(path)).destroy();
});

test('a connection has a reader before anything can happen to it', async (t) => {
  const { directory } = await places(t);
  const server = createServer();
  const path = join(directory, 'agent');
  await new Promise<void>((ready) => server.listen(path, ready));
  defer(t, () => void server.close());
  let hasHungUp = false;
  await reachGuestSocket(path, async () => {
    setImmediate(() => {
      hasHungUp = true;
    });
  });
  assert.equal(hasHungUp, false);
});

interface Header {
  version?: number;
  backing?: string;
  features?: bigint;
  encryption?: number;
  extensions?: [number, string][];
  nameLength?: number;
}

/** Builds the header of a qcow2 file according to its specification. */
function header({
  version = 3,
  backing,
  features = 0n,
  encryption = 0,
  extensions = [],
  nameLength,
}: Header): Buffer {
  const head = Buffer.alloc(65_536);
  head.write('QFI\xfb', 'latin1');
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(16, 20);
  head.writeBigUInt64BE(1_000_000_000n, 24);
  head.writeUInt32BE(encryption, 32);
  if (version === 3) {
    head.writeBigUInt64BE(features, 72);
    head.writeUInt32BE(104, 100);
  }
  let at = version === 3 ? 104 : 72;
  for (const [kind, content] of extensions) {
    head.writeUInt32BE(kind, at);
    head.writeUInt32BE(content.length, at + 4);
    head.write(content, at + 8, 'latin1');
    at += 8 + Math.ceil(content.length / 8) * 8;
  }
  if (backing !== undefined) {
    head.writeBigUInt64BE(BigInt(at + 8), 8);
    head.writeUInt32BE(nameLength ?? Buffer.byteLength(backing), 16);
    head.write(backing, at + 8);
  }
  return head;
}

const FORMAT = 0xe2792aca;

test('a disk may stand on the file that it was made on, and on no other', async (t) => {
  const { directory, secret, at } = await places(t);
  const base = join(directory, '..', 'image');
  await writeFile(base, 'an image');
  await chmod(base, 0o440);
  const on = async (backing: string | undefined, more: Header = {}) =>
    writeFile(at('disk'), header({ backing, extensions: [[FORMAT, 'qcow2']], ...more }));
  await on(base);
  await checkDisk(at('disk'), base);
  // Records of earlier versions do not name the backing file. Without a name, any file that no one may write to is
  // accepted, like an image.
  await checkDisk(at('disk'));
  await on(secret);
  await assert.rejects(checkDisk(at('disk'), base), { name: 'DiskHeaderError' });
  await assert.rejects(checkDisk(at('disk')), { name: 'DiskHeaderError' });
  await on(undefined);
  await assert.rejects(checkDisk(at('disk'), base), /backing file is missing/);
  await checkDisk(at('disk'));
  for (const backing of [
    '/dev/zero',
    'json:{"driver":"nbd"}',
    'nbd://192.0.2.1/x',
    '',
    join(directory, 'none'),
  ]) {
    await on(backing);
    await assert.rejects(checkDisk(at('disk')), { name: 'DiskHeaderError' }, backing);
  }
  await symlink(base, join(directory, 'linked'));
  await on(join(directory, 'linked'));
  await assert.rejects(checkDisk(at('disk')), { name: 'DiskHeaderError' });
  assert.equal((await stat(base)).size, 8);
});

test('a header that says what none of ours does is refused', () => {
  const refused: [string, Buffer][] = [
    ['data in another file', header({ features: 4n })],
    ['the name of such a file', header({ extensions: [[0x44415441, '/etc/shadow']] })],
    ['features of later versions', header({ features: 1n << 40n })],
    ['encryption', header({ encryption: 2 })],
    ['encryption by LUKS', header({ extensions: [[0x0537be77, 'x'.repeat(16)]] })],
    ['a raw backing file', header({ backing: '/etc/shadow', extensions: [[FORMAT, 'raw']] })],
    ['a name that is too long', header({ backing: 'x', nameLength: 5_000 })],
    ['a name beyond the file', header({ backing: 'x' }).subarray(0, 104)],
    ['another version', header({ version: 4 })],
    ['nothing', Buffer.alloc(0)],
    ['another format', Buffer.alloc(65_536)],
    ['half a header', header({}).subarray(0, 80)],
  ];
  for (const [what, head] of refused)
    assert.throws(() => backingFileOf(head), { name: 'DiskHeaderError' }, what);
  assert.equal(backingFileOf(header({ version: 2, backing: '/images/a' })), '/images/a');
  // Dirty, corrupt, zstd compression, extended entries: bits that our own disks may have set.
  assert.equal(backingFileOf(header({ features: 0b11011n })), undefined);
});
