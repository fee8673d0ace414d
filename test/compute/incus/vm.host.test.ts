import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ComputeDriver } from '../../../server/compute/driver.ts';
import { runAsUser } from '../../../server/compute/inside/ops-login.ts';
import { defer } from '../../support/cleanup.ts';
import { OF_THREE } from '../../support/incus/cluster.ts';
import { importDisk } from '../../support/incus/images.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { type ClusterInfo, incus, instanceOf } from '../../support/incus/layout.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { stayAlive } from '../qemu/support.ts';
import { Viewer } from '../simulator-inside/rfb-client.ts';
import { OPS_KEY, openIncus, tinyGuest } from './support.ts';

const POLL_MS = 100;
/** Far longer than an emulated guest takes to shut down. */
const SHUTDOWN_SECONDS = 120;

const skip = await skipWithoutTinyImage();
const cluster = skip ? undefined : await inCluster(import.meta.filename, OF_THREE, { vms: true });

if (skip) test('incus: a virtual machine', { skip }, () => {});

if (cluster) {
  test('incus: a virtual machine is created, logged in to, moved live, switched off and on, and removed', async (t) => {
    await importDisk(cluster, 'tiny-vm', (await tinyImage())!.disk);
    await incus(cluster, 'profile', 'set', 'default', 'migration.stateful=true');
    const driver = await openIncus(cluster);
    defer(t, () => driver.close());
    defer(t, stayAlive());
    const events: string[] = [];
    driver.watch(({ type }) => events.push(type));
    const seconds = stopwatch(t);
    const [host, other] = await driver.hosts();
    const spec = tinyGuest({ template: 'tiny-vm', ramMb: 256, hostId: host!.id });
    const { id } = spec;

    await driver.create(spec);
    assert.equal(await typeOf(cluster, id), 'virtual-machine');
    assert.equal((await driver.inspect(id))?.power, 'off');
    seconds('made');
    await driver.start(id);
    await untilUp(driver, id);
    seconds('started, until SSH answers');
    await inside(driver, id, 'echo kept >kept && sync && echo lost >/run/lost-by-a-reboot');
    await moveAsItRuns(driver, id, other!.id);
    assert.deepEqual(events, ['guest.ready'], 'its arrival is no start');
    await inside(driver, id, 'test "$(cat kept)" = kept && test -e /run/lost-by-a-reboot');
    seconds('moved as it runs');
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEb0gGmyTZPyzlnXDx7yPkxTJNBbaLqCPcVNrL2tnkg1 other';
    await driver.authorizeKey(id, key);
    await driver.setPassword(id, 'root', 'correct horse');
    const [sample] = await driver.sample([id]);
    assert.ok(sample!.cpuSeconds > 0 && sample!.netInBytes > 0, JSON.stringify(sample));

    const graphics = await look(t, driver, id);
    await showsRed(driver, id, graphics);
    await driver.reboot(id, SHUTDOWN_SECONDS);
    await untilUp(driver, id);
    await showsRed(driver, id, graphics);
    t.diagnostic(`its screen has ${graphics.width} by ${graphics.height} pixels`);
    graphics.close();
    seconds('its graphics, over a reboot');
    // The serial port, which shows a login prompt.
    await incus(cluster, 'config', 'set', instanceOf(id), 'user.vauban.screen=text');
    const serial = await look(t, driver, id);
    serial.type('\r');
    await serial.shows(/login:/);
    seconds('its serial port');

    await driver.shutdown(id, SHUTDOWN_SECONDS);
    assert.equal((await driver.inspect(id))?.power, 'off');
    seconds('shut down');
    await driver.start(id);
    await untilUp(driver, id);
    await inside(driver, id, 'test "$(cat kept)" = kept && grep -q other .ssh/authorized_keys');
    seconds('started again');

    await driver.powerOff(id);
    await driver.remove(id);
    assert.equal(await driver.inspect(id), undefined);
    assert.equal(await typeOf(cluster, id), undefined);
    seconds('removed');
  });
}

/** Makes the guest paint its screen red and then black; a viewer must see both. */
async function showsRed(driver: ComputeDriver, id: string, viewer: Viewer): Promise<void> {
  const isRed = (pixel: number) => pixel >> 16 > 0x90 && (pixel & 0xffff) === 0;
  for (const [colour, isShown] of [
    [41, () => viewer.pixels.filter(isRed).length > viewer.pixels.length / 2],
    [40, () => !viewer.pixels.some(isRed)],
  ] as const) {
    await inside(driver, id, `printf '\\033[${colour}m\\033[2J' >/dev/tty0`);
    while (!isShown()) {
      viewer.ask(true);
      await viewer.update();
    }
  }
}

async function look(t: TestContext, driver: ComputeDriver, id: string): Promise<Viewer> {
  const viewer = new Viewer(await driver.openVnc(id), [5, 0, -223]);
  defer(t, () => viewer.close());
  await viewer.open();
  viewer.ask(false);
  await viewer.update();
  return viewer;
}

/** Moves a running guest. In the meantime it must never appear to be booting, nor be off for long. */
async function moveAsItRuns(driver: ComputeDriver, id: string, hostId: string): Promise<void> {
  assert.equal(await driver.moveKind(id), 'live');
  let isOver = false;
  const seen = new Set<string>();
  const watching = (async () => {
    while (!isOver) {
      // While an instance changes its member, Incus briefly lists it without its configuration; then the driver does
      // not recognize it as a guest.
      for (const { power } of await driver.list()) seen.add(power);
      await sleep(POLL_MS);
    }
  })();
  await driver.move(id, { hostId }, 'live').finally(() => {
    isOver = true;
  });
  await watching;
  assert.ok(!seen.has('booting'), [...seen].join());
  const [sight] = await driver.list();
  assert.deepEqual(sight, { id, hostId, power: 'running' });
  // Moving a guest to the host that it is already on succeeds.
  await driver.move(id, { hostId }, 'live');
}

/** Returns a function that prints the time since the last call. */
function stopwatch(t: TestContext): (what: string) => void {
  let since = performance.now();
  return (what) => {
    const now = performance.now();
    t.diagnostic(`${what}: ${((now - since) / 1000).toFixed(1)} s`);
    since = now;
  };
}

async function typeOf(info: ClusterInfo, id: string): Promise<string | undefined> {
  const all: { name: string; type: string }[] = JSON.parse(await incus(info, 'list', '--format', 'json'));
  return all.find(({ name }) => name === instanceOf(id))?.type;
}

async function untilUp(driver: ComputeDriver, id: string): Promise<void> {
  while ((await driver.inspect(id))?.power === 'booting') await sleep(POLL_MS);
  assert.equal((await driver.inspect(id))?.power, 'running');
}

/** Runs a command in a guest; it must succeed. */
async function inside(driver: ComputeDriver, id: string, command: string): Promise<void> {
  await runAsUser(await driver.openSsh(id), 'root', async () => [OPS_KEY.private], command, '');
}
