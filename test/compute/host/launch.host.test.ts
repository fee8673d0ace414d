import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createPrivilegedLauncher } from '../../../server/compute/qemu/host/privileged-launcher.ts';
import type { QemuSpec } from '../../../server/compute/qemu/process/arguments.ts';
import { GUEST_OOM_SCORE } from '../../../server/compute/qemu/process/process-wait.ts';
import { systemClock as clock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { GUEST_UIDS } from '../../support/guest-uids.ts';
import { spec as described, ID, temporaryDirectory } from './support.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root to become another user';
/** The user and group that guests of earlier versions ran as. */
const USER = 'nobody';
const GROUP = 'nogroup';
/** Stands in for QEMU: writes its process id and then waits forever. */
const WAIT = 'echo booting; mkfifo never; echo $$ >qemu.pid; read line <never';

interface Place {
  uid: number;
  root: string;
  pool: string;
  launcher: ReturnType<typeof createPrivilegedLauncher>;
  spec: QemuSpec;
}

async function open(t: TestContext, script = WAIT): Promise<Place> {
  const earlier = Number(execFileSync('id', ['-u', USER], { encoding: 'utf8' }));
  const uid = GUEST_UIDS.from;
  const root = await temporaryDirectory(t);
  await chmod(root, 0o755);
  const [pool, images] = [join(root, 'guests'), join(root, 'images')];
  const spec = described(join(pool, ID));
  for (const directory of [pool, images, spec.directory]) await mkdir(directory);
  await chown(spec.directory, uid, -1);
  spec.directBoot = { kernel: join(images, 'k'), initrd: join(images, 'i'), append: '' };
  for (const file of ['k', 'i']) await writeFile(join(images, file), '');
  const command = ({ uuid }: QemuSpec) => ['sh', '-c', script, 'qemu', '-uuid', uuid];
  const launcher = createPrivilegedLauncher({
    clock,
    pool,
    images,
    user: { uid: earlier, group: GROUP, groups: [] },
    uids: GUEST_UIDS,
    command,
  });
  defer(t, () => launcher.kill(spec).catch(() => {}));
  return { uid, root, pool, launcher, spec };
}

const status = async (pid: number) => {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Object.fromEntries(text.split('\n').map((line) => line.split(/:\s+/))) as Record<string, string>;
};

test('a guest runs as its own user without privileges, and outlives its starter', {
  skip,
}, async (t) => {
  const { uid, launcher, spec } = await open(t);
  const pid = await launcher.launch(spec);
  const { Uid, CapEff, CapBnd, CapInh, NoNewPrivs, NSsid } = await status(pid);
  assert.equal(Uid, Array(4).fill(uid).join('\t'));
  for (const capabilities of [CapEff, CapBnd, CapInh]) assert.equal(Number(`0x${capabilities}`), 0);
  assert.equal(NoNewPrivs, '1');
  assert.equal(NSsid, `${pid}`);
  assert.equal((await readFile(`/proc/${pid}/oom_score_adj`, 'utf8')).trim(), `${GUEST_OOM_SCORE}`);
  assert.equal(await launcher.launch(spec), pid, 'a running one is a success');
  const log = join(spec.directory, 'qemu.log');
  assert.equal(await readFile(log, 'utf8'), 'booting\n');
  assert.equal((await stat(log)).uid, uid);
  // QEMU alone would make it readable only by its owner, but the service's group must be able to read it.
  assert.equal((await stat(join(spec.directory, 'qemu.pid'))).mode & 0o777, 0o660);
  await launcher.kill({ ...spec, uuid: described().uuid.replace('a', 'b') });
  assert.ok(existsSync(`/proc/${pid}`), 'another uuid is another machine');
  await launcher.kill(spec);
  assert.ok(!existsSync(`/proc/${pid}/exe`));
  await launcher.kill(spec);
});

test('a user that is not for guests is refused, and so is one that runs anything else', {
  skip,
}, async (t) => {
  const { launcher, spec, pool } = await open(t);
  for (const uid of [undefined, GUEST_UIDS.from - 1, GUEST_UIDS.to + 1, 65_534])
    await assert.rejects(launcher.launch({ ...spec, uid }), {
      name: 'InvalidArgumentError',
      message: "spec.uid: is not allowed by this host's configuration",
    });
  await launcher.launch(spec);
  const id = 'vm_other';
  const other = { ...spec, id, directory: join(pool, id), uuid: spec.uuid.replace('a', 'b') };
  await mkdir(other.directory);
  await assert.rejects(launcher.launch(other), {
    name: 'InvalidArgumentError',
    message: 'spec.uid: belongs to another guest',
  });
});

test('a program that does not start is reported only in its own words', { skip }, async (t) => {
  const { launcher, spec } = await open(t, 'echo "no such disk" >&2; exit 1');
  await assert.rejects(launcher.launch(spec), {
    name: 'ComputeUnavailableError',
    message: /no such disk/,
  });
  const linked = await open(t, 'rm qemu.log; ln -s /etc/shadow qemu.log; exit 1');
  await assert.rejects(linked.launcher.launch(linked.spec), { message: 'QEMU did not start: ' });
});

test('a foreign directory, a link or a kernel from elsewhere is refused', { skip }, async (t) => {
  const { root, pool, launcher, spec } = await open(t);
  const elsewhere = join(root, 'elsewhere');
  await mkdir(elsewhere);
  await symlink(elsewhere, join(pool, 'vm_link'));
  await symlink('/etc/hostname', join(root, 'images', 'link'));
  await mkdir(join(spec.directory, 'deeper'));
  const directories = [
    elsewhere,
    join(pool, 'vm_link'),
    pool,
    join(spec.directory, 'deeper'),
    join(pool, 'vm_gone'),
    '/etc',
  ];
  for (const directory of directories) {
    const refusal = { name: 'InvalidArgumentError', message: /^spec\.directory: / };
    await assert.rejects(launcher.launch({ ...spec, directory }), refusal, directory);
  }
  await assert.rejects(launcher.launch({ ...spec, id: 'vm_other' }), {
    name: 'InvalidArgumentError',
    message: 'spec.directory: belongs to a guest other than spec.id',
  });
  for (const file of [join(root, 'images', 'k'), join(pool, 'vm_other', 'memory'), '/dev/mem'])
    await assert.rejects(launcher.launch({ ...spec, memory: { file, shared: false } }), {
      name: 'InvalidArgumentError',
      message: "spec.memory: is not in the guest's directory",
    });
  for (const kernel of [
    '/etc/hostname',
    join(root, 'images', 'link'),
    join(root, 'images', 'gone'),
    join(root, 'images'),
  ]) {
    const directBoot = { ...spec.directBoot!, kernel };
    const refusal = { name: 'InvalidArgumentError', message: /^spec\.directBoot\.kernel: / };
    await assert.rejects(launcher.launch({ ...spec, directBoot }), refusal, kernel);
  }
  await rename(join(root, 'images'), join(root, 'unmounted'));
  await mkdir(join(root, 'images'));
  const unmounted = { name: 'Error', message: /^there are no images in .*: is it mounted\?$/ };
  await assert.rejects(launcher.launch(spec), unmounted);
});

test('the probe opens the devices as the user of guests, and says which does not open and what to do', {
  skip,
}, async (t) => {
  const root = await temporaryDirectory(t);
  const closed = join(root, 'tun');
  await writeFile(closed, '', { mode: 0o600 });
  const module = join(import.meta.dirname, '../../../server/compute/qemu/host/probe.ts');
  const script = `import { tryDevices } from '${module}';
    await tryDevices({ uid: 65534, group: '${GROUP}', groups: [] }).catch((error) => console.log(error.message));`;
  // In its own mount namespace: the device as the kernel creates it, accessible only to root.
  const words = `mount --bind ${closed} /dev/net/tun && exec "$@"`;
  const command = ['sh', '-euc', words, 'sh', process.execPath, '--input-type=module', '-e', script];
  const said = execFileSync('unshare', ['--mount', ...command], { encoding: 'utf8' });
  assert.match(
    said,
    /^as a user that runs guests, \/dev\/net\/tun cannot be opened; npm run host:setup opens it \(.*denied/,
  );
});

test('a pid file that names a stranger ends no process', { skip }, async (t) => {
  const { uid, launcher, spec } = await open(t);
  const file = join(spec.directory, 'qemu.pid');
  for (const content of [`${process.pid}`, '1', '-1', '0', 'x', '1e3', '9'.repeat(30)]) {
    await writeFile(file, content);
    await chown(file, uid, -1);
    await launcher.kill(spec);
  }
  assert.ok(existsSync('/proc/1') && existsSync(`/proc/${process.pid}`));
});
