import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type SeedInput, seedFiles, seedImage } from '../../../server/compute/qemu/images/seed.ts';
import { netdev } from '../../../server/compute/qemu/network/user-network.ts';
import { type QemuSpec, qemuArguments } from '../../../server/compute/qemu/process/arguments.ts';
import { skipUnlessInstalled } from '../../support/tiny-image.ts';

const asIs = { serializers: [(text: unknown) => text] };
const golden = (name: string) => join(import.meta.dirname, 'golden', name);

const MACHINE: QemuSpec = {
  id: 'vm_01',
  uuid: '6a3c1c1e-6f0f-4c39-9d43-0f0f3c1d2b11',
  directory: '/srv/vauban/guests/vm_01',
  accelerator: 'kvm',
  hardware: { machine: 'pc-q35-7.2', cpu: 'EPYC-Milan-v2', tablet: true },
  aio: 'io_uring',
  vcpu: 4,
  ramMb: 8192,
  mac: '52:54:00:12:34:56',
  netdev: 'tap,id=net0,ifname=tap0,script=no,downscript=no',
};

const SEED: SeedInput = {
  id: 'vm_01',
  hostname: 'web-1',
  user: 'debian',
  // Only digits: unquoted, cloud-init would read it as a number.
  mac: '52:54:00:12:34:56',
  addresses: [
    { address: '192.0.2.10', family: 4, prefix: 24, gateway: '192.0.2.1' },
    { address: '2001:db8::a', family: 6, prefix: 64, gateway: '2001:db8::1' },
  ],
  nameservers: ['9.9.9.9', '1.1.1.1'],
  authorizedKeys: [
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqGEGmIfdvBSnCmzFKzmKQv3SmqZgXYvj1b1iPjW0Vd me',
    'ssh-rsa AAAA ops',
  ],
  passwordHash: '$6$salt$hash',
};

// To update after a change: node --test --test-update-snapshots test/compute/qemu/golden.test.ts
test('a machine has these arguments', (t) => {
  const boot = {
    kernel: '/srv/vauban/images/k',
    initrd: '/srv/vauban/images/i',
    append: 'root=/dev/vda1 ro',
  };
  const earlier = { machine: 'pc-q35-7.1', cpu: 'host', tablet: false };
  const old: QemuSpec = { ...MACHINE, accelerator: 'tcg', hardware: earlier, aio: undefined };
  const small: QemuSpec = { ...old, vcpu: 1, ramMb: 256, directBoot: boot };
  const memory = { file: '/srv/vauban/warm/1/memory', shared: true };
  const template: QemuSpec = { ...small, memory };
  const clone: QemuSpec = { ...small, memory: { ...memory, shared: false }, incoming: true };
  const text = [MACHINE, small, template, clone]
    .map((machine) => qemuArguments(machine).join('\n'))
    .join('\n\n');
  t.assert.fileSnapshot(`${text}\n`, golden('arguments.txt'), asIs);
});

test('a directory that is too long for sockets is refused, a comma is not an option', () => {
  assert.throws(() => qemuArguments({ ...MACHINE, directory: `/srv/${'x'.repeat(100)}` }), /bytes too long/);
  const odd = qemuArguments({ ...MACHINE, directory: '/srv/a,b' });
  assert.ok(odd.includes('socket,id=qmp,path=/srv/a,,b/qmp.sock,server=on,wait=off'));
});

test('a seed has these files, with and without user data', (t) => {
  const inputs: SeedInput[] = [
    SEED,
    { ...SEED, addresses: [], user: 'root', passwordHash: undefined, userData: '#!/bin/sh\necho hello\n' },
    { ...SEED, userData: 'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\n#cloud-config\n--x--\n' },
  ];
  const text = inputs.map((input) =>
    Object.entries(seedFiles(input))
      .map(([name, content]) => `==== ${name}\n${content}`)
      .join('\n'),
  );
  t.assert.fileSnapshot(text.join('\n\n'), golden('seed.txt'), asIs);
});

test('QEMU builds a network around the address of a guest', () => {
  const around = (address: string, prefix: number, gateway: string) =>
    netdev([{ address, family: 4, prefix, gateway }], 40_000, []);
  assert.equal(
    around('100.64.0.2', 10, '100.64.0.1'),
    'user,id=net0,ipv6=off,restrict=on,net=100.64.0.0/10,host=100.64.0.1,dns=100.64.0.3,dhcpstart=100.64.0.2,hostfwd=tcp:127.0.0.1:40000-100.64.0.2:22',
  );
  assert.match(
    around('192.0.2.200', 32, '192.0.2.1'),
    /net=192\.0\.2\.0\/24,host=192\.0\.2\.1,dns=192\.0\.2\.2,/,
  );
  assert.equal(netdev([], 40_000, []), 'user,id=net0,ipv6=off,restrict=on,hostfwd=tcp:127.0.0.1:40000-:22');
});

test('another program reads the seed', { skip: skipUnlessInstalled('isoinfo') }, (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'seed-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'seed.iso');
  // Longer than a sector, so that the files do not fit by chance.
  const input = { ...SEED, userData: `#!/bin/sh\n${'# line\n'.repeat(600)}` };
  writeFileSync(path, seedImage(input));
  const iso = (...args: string[]) => execFileSync('isoinfo', ['-i', path, ...args], { encoding: 'utf8' });
  assert.match(iso('-d'), /Volume id: cidata/);
  for (const [name, content] of Object.entries(seedFiles(input))) {
    assert.equal(iso('-J', '-x', `/${name}`), content);
  }
});
