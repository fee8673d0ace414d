// Needs: root, QEMU.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ComputeDriver, GuestSpec } from '../../../server/compute/driver.ts';
import { createPrivilegedLauncher } from '../../../server/compute/qemu/host/privileged-launcher.ts';
import { createImageStore } from '../../../server/compute/qemu/images/image-store.ts';
import { WarmTemplates } from '../../../server/compute/qemu/images/warm.ts';
import { createDirectLauncher, qemuCommand } from '../../../server/compute/qemu/process/direct-launcher.ts';
import { systemClock as clock } from '../../../server/platform/clock.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { GUEST_UIDS } from '../../support/guest-uids.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { boot, qemuFor, tinySpec, untilUp } from './support.ts';

const skip = await skipWithoutTinyImage();
const image = (await tinyImage())!;
const KEY = freshKeyPair('test');
/** Stand in for vauban-qemu. */
const GUESTS_USER = 'nobody';
const GUESTS_GROUP = 'nogroup';
const PASSWORD = 'correct horse battery staple';
const SECOND_MS = 1_000;
/** The tolerance of the guest's clock, which is set with a precision of a second. */
const CLOCK_MS = 60 * SECOND_MS;

/** Properties that a machine keeps for its lifetime, one command per line. */
const IDENTITY = [
  'sha256sum </etc/dropbear/dropbear_ed25519_host_key',
  'cat /etc/machine-id',
  'hostname',
  'cat /sys/class/net/eth0/address',
  "ip -o -4 addr show dev eth0 | awk '{ print $4 }'",
];
/** Random values that must differ between any two machines and any two moments. */
const DRAWS = [
  'cat /proc/sys/kernel/random/boot_id',
  ...Array<string>(8).fill('head -c 32 /dev/urandom | sha256sum'),
  'head -c 32 /dev/random | sha256sum',
];

function clone(number: number, overrides: Partial<GuestSpec> = {}): GuestSpec {
  return tinySpec({
    id: `vm_clone${number}`,
    hostname: `clone-${number}`,
    mac: `52:54:00:00:01:0${number}`,
    addresses: [{ address: `192.0.2.${20 + number}`, family: 4, prefix: 24, gateway: '192.0.2.1' }],
    authorizedKeys: [KEY.public],
    ...overrides,
  });
}

async function ask(driver: ComputeDriver, id: string, commands: string[]): Promise<string[]> {
  const said = await inGuest(driver, id, { privateKey: KEY.private }, commands.join('; '));
  return said.trim().split('\n');
}

async function createToSsh(t: TestContext, what: string, driver: ComputeDriver, spec: GuestSpec) {
  const began = performance.now();
  await driver.create(spec);
  await boot(driver, spec.id);
  await (await driver.openSsh(spec.id)).destroy();
  t.diagnostic(`${what}, from create to SSH: ${Math.round(performance.now() - began)} ms`);
}

function openWarm(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'w-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const warnings: unknown[] = [];
  const logger = { warn: (...words: unknown[]) => void warnings.push(words) } as never;
  const templates = () =>
    new WarmTemplates({
      clock,
      logger,
      launcher: createDirectLauncher(clock),
      accelerator: 'tcg',
      directory,
    });
  return { warnings, logger, templates };
}

test('clones of a warm template are machines of their own, and then guests like any other', {
  skip,
}, async (t) => {
  const { warnings, logger, templates } = openWarm(t);
  const warm = templates();
  const { driver } = qemuFor(t, image, { warm, logger });
  await driver.list();
  await createToSsh(t, 'cold', qemuFor(t, image).driver, clone(9));
  await warm.prepare(image, clone(1));

  const identities: string[][] = [];
  const draws: string[] = [];
  for (const number of [1, 2]) {
    const spec = clone(number, { password: `${PASSWORD} ${number}` });
    await createToSsh(t, 'warm', driver, spec);
    identities.push(await ask(driver, spec.id, IDENTITY));
    draws.push(...(await ask(driver, spec.id, DRAWS)));
    const [time] = await ask(driver, spec.id, ['date +%s']);
    assert.ok(Math.abs(Number(time) * SECOND_MS - Date.now()) < CLOCK_MS, `it is ${time}`);
    const login = { password: `${PASSWORD} ${number}` };
    assert.equal(await inGuest(driver, spec.id, login, 'cat /root/.ssh/authorized_keys'), `${KEY.public}\n`);
  }
  assert.deepEqual(warnings, []);
  const [first, second] = identities as [string[], string[]];
  for (const [index, value] of first.entries()) assert.notEqual(value, second[index]);
  assert.deepEqual(first.slice(2), ['clone-1', '52:54:00:00:01:01', '192.0.2.21/24']);
  assert.deepEqual(second.slice(2), ['clone-2', '52:54:00:00:01:02', '192.0.2.22/24']);
  assert.equal(draws.length, 2 * DRAWS.length);
  assert.equal(new Set(draws).size, draws.length, draws.join('\n'));

  const { id } = clone(1);
  await driver.remove(clone(2).id);
  await ask(driver, id, ['echo kept >/root/kept; sync']);
  await driver.createSnapshot(id, 'snap_1');
  await driver.reboot(id, 60);
  await untilUp(driver, id);
  assert.deepEqual(await ask(driver, id, [...IDENTITY, 'cat /root/kept']), [...first, 'kept']);
  await driver.deleteSnapshot(id, 'snap_1');
  await driver.shutdown(id, 60);
  await driver.createSnapshot(id, 'snap_2');
  await driver.resize(id, { vcpu: 1, ramMb: 256, diskGb: 2 });
  await boot(driver, id);
  const [total, ...rest] = await ask(driver, id, [
    "awk '/MemTotal/ { print $2 }' /proc/meminfo",
    ...IDENTITY,
    'cat /root/kept',
  ]);
  assert.deepEqual(rest, [...first, 'kept']);
  assert.ok(Number(total) > 192 * 1024);
  assert.deepEqual((await driver.inspect(id))?.snapshotIds, ['snap_2']);
});

/** Creates a directory that guests' users may traverse and whose contents they may read. */
async function sharedDirectory(t: TestContext, group: number): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'w-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  await chown(directory, 0, group);
  await chmod(directory, 0o2755);
  return directory;
}

test('clones run as their own users, who may not open the shared base', {
  skip: skip || (process.getuid?.() !== 0 && 'needs root to start guests as other users'),
}, async (t) => {
  const group = Number(execFileSync('id', ['-g', GUESTS_USER], { encoding: 'utf8' }));
  const [images, root] = [await sharedDirectory(t, group), await sharedDirectory(t, group)];
  const { warnings, logger } = openWarm(t);
  const stored = await createImageStore(images).import(image);
  await mkdir(join(root, 'warm'), { mode: 0o750 });
  const templates = { clock, logger, accelerator: 'tcg', directory: join(root, 'warm') } as const;
  const warm = new WarmTemplates({ ...templates, launcher: createDirectLauncher(clock) });
  const { directory: pool, open } = qemuFor(t, stored, { warm, logger });
  await chmod(pool, 0o755);
  const uid = Number(execFileSync('id', ['-u', GUESTS_USER], { encoding: 'utf8' }));
  const user = { uid, group: GUESTS_GROUP, groups: [] };
  const driver = open({
    launcher: createPrivilegedLauncher({
      clock,
      pool,
      images,
      user,
      uids: GUEST_UIDS,
      command: qemuCommand,
    }),
    users: async () => ({ ...GUEST_UIDS, group: process.getegid!() }),
  });
  await driver.list();
  const place = await warm.prepare(stored, clone(1));
  const drawn: string[] = [];
  for (const number of [1, 2]) {
    await createToSsh(t, 'warm, with a user of its own', driver, clone(number));
    drawn.push(...(await ask(driver, clone(number).id, [...IDENTITY, ...DRAWS])));
  }
  assert.deepEqual(warnings, []);
  assert.equal(new Set(drawn).size, drawn.length, drawn.join('\n'));
  for (const number of [1, 2]) {
    const guest = join(pool, clone(number).id);
    assert.ok(!existsSync(join(guest, 'memory')), 'the copy is gone');
    const pid = readFileSync(join(guest, 'qemu.pid'), 'utf8').trim();
    assert.equal(statSync(`/proc/${pid}`).uid, GUEST_UIDS.from + number - 1);
  }
  const opens = (mode: '-r' | '-w', file: string) =>
    spawnSync('setpriv', [
      `--reuid=${GUEST_UIDS.from}`,
      `--regid=${group}`,
      '--clear-groups',
      'test',
      mode,
      file,
    ]).status === 0;
  for (const file of ['memory', 'state', 'disk.qcow2', 'key', '.'])
    assert.ok(!opens('-w', join(place, file)), file);
  assert.ok(opens('-r', join(place, 'disk.qcow2')));
  assert.ok(!opens('-r', join(place, 'memory')), 'what was in memory may hold secrets of the template');
});

test('a template survives a restart of the service, but not a change of QEMU', { skip }, async (t) => {
  const { warnings, logger, templates } = openWarm(t);
  const { open } = qemuFor(t, image, { logger });
  const first = templates();
  await first.open(new Set());
  const place = await first.prepare(image, clone(6));
  await first.close();

  const warm = templates();
  const after = open({ warm });
  await after.list();
  assert.equal(warm.find(image, clone(6)), place);
  await createToSsh(t, 'warm, after a restart', after, clone(6));
  assert.deepEqual((await ask(after, clone(6).id, ['hostname'])).slice(0, 1), ['clone-6']);
  assert.deepEqual(warnings, []);
  await after.remove(clone(6).id);
  await after.close();

  // A template of a different QEMU is useless: it is removed unless a guest's disk is based on it.
  const key = join(place, 'key');
  writeFileSync(key, `other ${readFileSync(key, 'utf8').split(' ')[1]}`);
  const standing = templates();
  await standing.open(new Set([place]));
  assert.ok(existsSync(place));
  await standing.close();
  const gone = templates();
  await gone.open(new Set());
  assert.ok(!existsSync(place));
  await gone.close();
});

test('a clone that does not wake, or was changed before, boots from its image', { skip }, async (t) => {
  const { warnings, logger, templates } = openWarm(t);
  const warm = templates();
  const { driver, open, directory } = qemuFor(t, image, { logger });
  await driver.close();
  const before = open({ warm });
  await before.list();
  const place = await warm.prepare(image, clone(3));
  for (const number of [3, 4, 5]) await before.create(clone(number));
  await before.resize(clone(5).id, { vcpu: 1, ramMb: 192, diskGb: 2 });
  assert.deepEqual(warnings, []);
  const state = join(place, 'state');
  await chmod(state, 0o600);
  await truncate(state, 100_000);
  await boot(before, clone(3).id);
  assert.equal(warnings.length, 1);
  assert.deepEqual((await ask(before, clone(3).id, ['hostname'])).slice(0, 1), ['clone-3']);
  await before.remove(clone(3).id);

  // Simulates a service that ended while one of them was waking up.
  await before.close();
  const file = join(directory, clone(4).id, 'guest.json');
  const record = JSON.parse(readFileSync(file, 'utf8'));
  assert.ok(record.clone.asleep);
  writeFileSync(file, JSON.stringify({ ...record, run: { since: 1, booted: false, asked: false } }));
  const after = open({ warm: templates() });
  for (const number of [4, 5]) {
    assert.equal((await after.inspect(clone(number).id))?.power, 'off');
    await boot(after, clone(number).id);
    assert.deepEqual(await ask(after, clone(number).id, ['hostname']), [`clone-${number}`]);
    await after.remove(clone(number).id);
  }
  assert.equal(warnings.length, 1);
});
