import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ComputeDriver } from '../../../server/compute/driver.ts';
import { defer } from '../../support/cleanup.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { incus, instanceOf } from '../../support/incus/layout.ts';
import { Viewer } from '../simulator-inside/rfb-client.ts';
import { openIncus, tinyGuest } from './support.ts';

const POLL_MS = 100;
const AGAIN_MS = 4_000;
const SHUTDOWN_SECONDS = 60;
/** Far beyond what any of these tests takes, even on a busy machine. */
const LIMIT = { timeout: 600_000 };
/** Hextile and raw, as browsers use them. */
const ENCODINGS = [5, 0];

const cluster = await inCluster(import.meta.filename);

if (cluster) {
  const opened = async (t: TestContext) => {
    const driver = await openIncus(cluster);
    defer(t, () => driver.close());
    return driver;
  };

  /** Opens a driver with a booted guest. */
  const setUp = async (t: TestContext) => {
    const driver = await opened(t);
    const [host] = await driver.hosts();
    const spec = tinyGuest({ hostId: host!.id });
    await driver.create(spec);
    defer(t, () => driver.remove(spec.id));
    await driver.start(spec.id);
    while ((await driver.inspect(spec.id))?.power !== 'running') await sleep(POLL_MS);
    return { driver, id: spec.id };
  };

  test("incus: all viewers of a guest's screen see its input", LIMIT, async (t) => {
    const { driver, id } = await setUp(t);
    const { viewer: first } = await look(t, driver, id);
    // Printed before there was a viewer: it comes from the console log.
    await first.shows(/web login:$/);
    await logIn(first);
    first.type('echo $((6 * 7)) "~"\r');
    await first.shows(/^42 ~\n.*#$/m);
    const { viewer: second } = await look(t, driver, id);
    assert.equal(second.text(), first.text());
    second.type('sleep 1000\r');
    await first.shows(/sleep 1000$/);
    first.control('c');
    await second.shows(/\^C\n.*#$/);
    second.type('exit\r');
    await first.shows(/web login:$/);
  });

  test(
    'incus: viewers of a screen stay for a reboot, and are disconnected with the power',
    LIMIT,
    async (t) => {
      const { driver, id } = await setUp(t);
      const { viewer } = await look(t, driver, id);
      await logIn(viewer);
      await driver.reboot(id, SHUTDOWN_SECONDS);
      assert.doesNotMatch(await viewer.shows(/web login:$/), /#/, 'a new boot begins on a clean screen');
      await logIn(viewer);
      await typeUntil(viewer, 'reboot -f\r', /^((?!#)[\s\S])*web login:$/);

      const both = [await look(t, driver, id), await look(t, driver, id)];
      const closed = Promise.all(both.map(({ closes }) => closes()));
      await driver.powerOff(id);
      await closed;
      await assert.rejects(driver.openVnc(id), { name: 'AgentUnavailableError' });
      await driver.start(id);
      await (await look(t, driver, id)).viewer.shows(/web login:$/);
    },
  );

  test(
    "incus: the node that opens a screen last has it, and the other's viewers are disconnected",
    LIMIT,
    async (t) => {
      const { driver, id } = await setUp(t);
      const lost = await look(t, driver, id);
      await lost.viewer.shows(/web login:$/);
      const closed = lost.closes();
      const { viewer } = await look(t, await opened(t), id);
      await closed;
      // The first viewer has consumed the log: the screen may stay empty until something is typed.
      await logIn(viewer);
    },
  );

  test('incus: a guest that prints endlessly blocks nothing', LIMIT, async (t) => {
    const { driver, id } = await setUp(t);
    const { viewer } = await look(t, driver, id);
    await logIn(viewer);
    viewer.type('yes "$(seq 1 99)"\r');
    await viewer.shows(/^99\n1\n/m);
    const slow = await look(t, driver, id);
    let longest = 0;
    for (let turn = 0; turn < 100; turn++) {
      const startedAt = performance.now();
      await sleep(10);
      longest = Math.max(longest, performance.now() - startedAt);
    }
    t.diagnostic(`the longest turn of the event loop: ${longest.toFixed(0)} ms`);
    viewer.control('c');
    await viewer.shows(/\^C/);
    viewer.type('clear; echo done\r');
    const text = await viewer.shows(/^done\n.*#$/m);
    assert.equal(slow.viewer.seen.updates, 1, 'who does not ask gets nothing');
    slow.viewer.ask(true);
    await slow.viewer.update();
    assert.equal(slow.viewer.text(), text);
  });

  test('incus: the console is released when the last viewer has left', LIMIT, async (t) => {
    const { driver, id } = await setUp(t);
    const viewers = [await look(t, driver, id), await look(t, driver, id)];
    assert.equal(await consolesOf(id), 1);
    for (const { viewer } of viewers) viewer.close();
    while ((await consolesOf(id)) > 0) await sleep(POLL_MS);
    const { viewer } = await look(t, driver, id);
    await logIn(viewer);
  });

  const consolesOf = async (id: string) => {
    const all: { description: string; status: string; resources: { instances?: string[] } }[] = JSON.parse(
      await incus(cluster, 'operation', 'list', '--format', 'json'),
    );
    return all.filter(
      ({ description, status, resources }) =>
        /console/i.test(description) &&
        status === 'Running' &&
        resources.instances?.some((path) => path.endsWith(instanceOf(id))),
    ).length;
  };
}

/** Logs in, whichever part of the login prompt is visible. */
const logIn = (viewer: Viewer) => typeUntil(viewer, 'root\r', /#$/);

/** Types until the result appears, because a console that is still being attached loses keys. */
async function typeUntil(viewer: Viewer, keys: string, pattern: RegExp): Promise<void> {
  let isShown = false;
  const shown = viewer.shows(pattern).then(() => {
    isShown = true;
  });
  while (!isShown) {
    viewer.type(keys);
    await Promise.race([shown, sleep(AGAIN_MS)]);
  }
}

async function look(t: TestContext, driver: ComputeDriver, id: string) {
  const stream = await driver.openVnc(id);
  const viewer = new Viewer(stream, ENCODINGS);
  defer(t, () => viewer.close());
  assert.equal(await viewer.open(), 'RFB 003.008\n');
  viewer.ask(false);
  await viewer.update();
  return {
    viewer,
    async closes() {
      if (!stream.closed) await once(stream, 'close');
    },
  };
}
