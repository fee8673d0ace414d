import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { ComputeUnavailableError, ShutdownTimeoutError } from '../../../server/compute/driver.ts';
import { HOUR_MS } from '../support.ts';
import { Daemon, runNumber } from './daemon.ts';
import { node, PatientClock } from './node.ts';

const ID = 'vm_1';
/** Longer than the time for which the driver avoids a member that did not answer. */
const REST_MS = 5_000;
const skip = isInstalled('openssl') ? false : 'openssl is not installed';

/** The event key of a guest that powered itself off in its n-th run. */
const poweredOff = (n: number) => `${ID}/guest.powered_off/${runNumber(n)}`;

/** Two nodes of a service that follow one daemon. The first is the one that is asked to stop the guest. */
async function world(t: TestContext) {
  const [daemon, clock] = [await Daemon.start(t, ID), new PatientClock()];
  const nodes = [await node(t, daemon, clock), await node(t, daemon, clock)];
  const { driver } = nodes[0]!;
  /** Waits until both nodes follow and know the state of the guest. */
  const followed = async () => {
    const looks = daemon.lists + nodes.length;
    await clock.until(() => daemon.followers === nodes.length && daemon.lists >= looks);
  };
  /** Expects `work` to be refused, however long that takes. */
  const fails = async (
    work: Promise<void>,
    why: typeof ComputeUnavailableError | typeof ShutdownTimeoutError,
  ) => {
    let isOver = false;
    const failed = assert.rejects(work, why).finally(() => {
      isOver = true;
    });
    await clock.until(() => isOver);
    await failed;
  };
  /** Kills the daemon as soon as it has been asked to stop the guest, and revives it. */
  const diesOver = async (stop: Promise<void>) => {
    daemon.asked = () => daemon.die();
    await fails(stop, ComputeUnavailableError);
    daemon.revive();
    // Until then the driver avoids the member that did not answer.
    clock.advance(REST_MS);
    await followed();
  };
  /** Returns what both nodes report once they have received `count` events. */
  const news = async (count: number) => {
    await clock.until(() => nodes.every(({ keys }) => keys().length >= count));
    assert.deepEqual(nodes[0]!.keys(), nodes[1]!.keys());
    return nodes[0]!.keys();
  };
  await followed();
  return { daemon, clock, driver, followed, fails, diesOver, news };
}

test('a stop that a returning member completes is no news, and the next end is', { skip }, async (t) => {
  const { daemon, driver, diesOver, news } = await world(t);
  await diesOver(driver.shutdown(ID, 60));
  await daemon.goOff();
  await daemon.goOn();
  await daemon.goOff();
  assert.deepEqual(await news(1), [poweredOff(2)]);
});

test('nor is a power cut that is completed later', { skip }, async (t) => {
  const { daemon, driver, diesOver, news } = await world(t);
  await diesOver(driver.powerOff(ID));
  await daemon.goOff();
  await daemon.goOn();
  await daemon.goOff();
  assert.deepEqual(await news(1), [poweredOff(2)]);
});

test('an unfinished stop does not explain a much later end', { skip }, async (t) => {
  const { daemon, clock, driver, followed, diesOver, news } = await world(t);
  await diesOver(driver.shutdown(ID, 60));
  daemon.die();
  clock.advance(HOUR_MS);
  daemon.revive();
  await followed();
  await daemon.goOff();
  assert.deepEqual(await news(1), [poweredOff(1)]);
});

test('a guest that ignored its shutdown and powers off later is news', { skip }, async (t) => {
  const { daemon, driver, fails, news } = await world(t);
  await fails(driver.shutdown(ID, 5), ShutdownTimeoutError);
  await daemon.goOff();
  assert.deepEqual(await news(1), [poweredOff(1)]);
});

test('events of a guest while its member is still excluded are found out later', {
  skip,
}, async (t) => {
  const { daemon, clock, followed, news } = await world(t);
  daemon.die();
  await clock.until(() => daemon.refused >= 2);
  daemon.revive();
  await followed();
  await daemon.goOff();
  assert.deepEqual(await news(1), [poweredOff(1)]);
});
