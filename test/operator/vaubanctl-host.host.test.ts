import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { skipUnlessInstalled, skipWithoutTinyImage } from '../support/tiny-image.ts';
import { startOperator, temporaryDirectory } from './support.ts';
import { PROGRAM, vaubanctl } from './vaubanctl.ts';

const withQemu = { skip: skipUnlessInstalled('qemu-img') };

test('a disk is imported by its file, listed, and checked against its publisher', withQemu, async (t) => {
  const { dataDir } = await startOperator(t);
  const place = await temporaryDirectory(t);
  const file = join(place, 'alpine-3.22.qcow2');
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', file, '8M']);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'image', ...args);

  const about = ['--user', 'alpine', '--ready', 'port:2222', '--ready-within', '90'];
  const imported = await ctl('import', file, ...about, '--sha256', sha256.toUpperCase());
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(
    imported.stdout,
    new RegExp(`^alpine-3\\.22 +alpine +8 MiB +BIOS +port:2222 +${sha256}$`, 'm'),
  );
  assert.equal((await ctl('list')).stdout, imported.stdout);
  const image = {
    name: 'alpine-3.22',
    sha256,
    virtual_bytes: 8 * 2 ** 20,
    user: 'alpine',
    direct_boot: false,
    ready: 'port:2222',
    ready_within_seconds: 90,
  };
  assert.deepEqual(JSON.parse((await ctl('list', '--json')).stdout), [image]);
  assert.ok(readdirSync(join(dataDir, 'images')).includes('alpine-3.22.json'));

  assert.match((await ctl('remove', 'alpine-3.22')).stdout, /^Image alpine-3\.22 was removed/);
  assert.equal((await ctl('list', '--json')).stdout, '[]\n');
  assert.match((await ctl('remove', 'alpine-3.22')).stderr, /^vaubanctl: .*images\/alpine-3\.22/);
  // A file that has just arrived is kept for an hour.
  assert.equal((await ctl('collect')).stdout, 'Files removed: 0, 0 MiB freed.\n');
});

test('a built image is readable for a service that sees another /tmp', {
  skip: process.getuid?.() !== 0 ? 'only root may mount a /tmp' : await skipWithoutTinyImage(),
}, async (t) => {
  const { dataDir } = await startOperator(t);
  const tmp = await temporaryDirectory(t);
  // Like a unit with PrivateTmp: neither of the two sees the other's files there.
  const words = 'mount -t tmpfs tmpfs "$TMPDIR" && umask 077 && exec "$@"';
  const command = [process.execPath, PROGRAM, 'image', 'import', '--build', 'tiny', '--json'];
  const env = { PATH: process.env.PATH, TMPDIR: tmp, VAUBAN_DATA_DIR: dataDir };
  const build = promisify(execFile)('unshare', ['--mount', 'sh', '-euc', words, 'sh', ...command], { env });
  const image = JSON.parse((await build).stdout);
  assert.deepEqual([image.name, image.direct_boot], ['tiny', true]);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('.image-')),
    [],
  );
});

test('an invalid image is refused with its field', withQemu, async (t) => {
  const { dataDir, post } = await startOperator(t);
  const place = await temporaryDirectory(t);
  const text = join(place, 'notes.img');
  writeFileSync(text, 'no disk at all '.repeat(100));
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'image', 'import', ...args);
  const refusals: [string[], RegExp][] = [
    [[text], /^vaubanctl: disk: is neither a qcow2 disk nor a raw disk/],
    [[join(place, 'nothing')], /^vaubanctl: disk: .*nothing does not exist/],
    [[text, '--name', 'Not a Code'], /^vaubanctl: name: must be lower-case/],
    [[text, '--sha256', 'abc'], /^vaubanctl: sha256: /],
    [[], /^vaubanctl: give either a file or --build/],
    [[text, '--build', 'tiny'], /^vaubanctl: give either a file or --build/],
    [['--build', 'windows'], /Allowed choices are tiny, debian-12/],
  ];
  for (const [args, message] of refusals) {
    const { code, stderr } = await ctl(...args);
    assert.match(stderr, message);
    assert.equal(code, 1);
  }
  assert.equal((await post('/images', { name: 'a', disk: 'a.img', user: 'root' })).status, 422);
  assert.equal((await vaubanctl(dataDir, 'image', 'list', '--json')).stdout, '[]\n');
});

test('the doctor lists existing and missing parts, and says that no VM runs without an image', async (t) => {
  const { dataDir } = await startOperator(t);
  mkdirSync(join(dataDir, 'guests', 'vm_broken'), { recursive: true });
  writeFileSync(join(dataDir, 'guests', 'vm_broken', 'guest.json'), '{"id": "vm_bro');
  const { code, stdout } = await vaubanctl(dataDir, 'doctor');
  assert.equal(code, 1);
  assert.match(stdout, /^VMs run on: simulator$/m);
  assert.match(stdout, /^(ok|limited) +accelerator +(kvm|tcg): /m);
  assert.match(stdout, /^missing +images +none/m);
  assert.match(stdout, /^limited +guests +1; set aside: \S+vm_broken\/guest\.json cannot be read: /m);
  const { findings } = JSON.parse((await vaubanctl(dataDir, 'doctor', '--json')).stdout);
  assert.equal(findings.length, stdout.trimEnd().split('\n').length - 2);
});
