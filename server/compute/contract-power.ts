import assert from 'node:assert/strict';
import type { Bench, Promises } from './contract.ts';
import { ShutdownTimeoutError } from './driver.ts';

/** Long enough to be noticed as a wait, short enough to be waited for on a real engine. */
const DEAF_SECONDS = 3;

/** Returns once the guest has left the state `off`; ends with the test's time-out otherwise. */
async function leavesOff({ powerOf, t }: Bench, id: string): Promise<void> {
  while ((await powerOf(id)) === 'off') {
    t.signal.throwIfAborted();
    await new Promise(setImmediate);
  }
}

/** Being switched on and off. */
export const POWER: Promises = {
  async 'start resolves when the guest has booted; again is a success'({ driver, powerOf, booted, settle }) {
    const { id } = await booted();
    assert.equal(await powerOf(id), 'running');
    await settle(driver.start(id));
    assert.equal(await powerOf(id), 'running');
  },

  async 'shutdown resolves when the guest is off; again is a success'(bench) {
    const { driver, powerOf, booted, settle, shutdownSeconds } = bench;
    const { id } = await booted();
    await settle(driver.shutdown(id, shutdownSeconds));
    assert.equal(await powerOf(id), 'off');
    await settle(driver.shutdown(id, shutdownSeconds));
    await settle(driver.start(id));
    assert.equal(await powerOf(id), 'running');
  },

  async 'shutdown of a deaf guest times out and leaves it running'(bench) {
    const { t, driver, powerOf, booted, settle, deafen } = bench;
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    await assert.rejects(settle(driver.shutdown(id, DEAF_SECONDS)), ShutdownTimeoutError);
    assert.equal(await powerOf(id), 'running');
  },

  async 'a shutdown that is given up rejects with the reason'({ t, driver, booted, settle, deafen }) {
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    const reason = new Error('no longer wanted');
    const giveUp = new AbortController();
    const stopping = driver.shutdown(id, DEAF_SECONDS, giveUp.signal);
    giveUp.abort(reason);
    await assert.rejects(settle(stopping), reason);
  },

  async 'powerOff ends a shutdown that waits'(bench) {
    const { t, driver, powerOf, booted, settle, shutdownSeconds, deafen } = bench;
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    const stopping = driver.shutdown(id, shutdownSeconds);
    await settle(Promise.all([stopping, driver.powerOff(id)]));
    assert.equal(await powerOf(id), 'off');
  },

  async 'powerOff cuts the power; of a guest that is off it is a success'({ driver, powerOf, booted }) {
    const { id } = await booted();
    await driver.powerOff(id);
    assert.equal(await powerOf(id), 'off');
    await driver.powerOff(id);
  },

  async 'powerOff does not wait for a boot, and wins'(bench) {
    const { driver, powerOf, made, settle } = bench;
    const { id } = await made();
    const starting = Promise.allSettled([driver.start(id)]);
    await leavesOff(bench, id);
    await driver.powerOff(id);
    await settle(starting);
    assert.equal(await powerOf(id), 'off');
  },

  async 'reboot resolves when the guest is up again; one that is off is started'(bench) {
    const { driver, powerOf, booted, settle, shutdownSeconds } = bench;
    const { id } = await booted();
    await settle(driver.reboot(id, shutdownSeconds));
    assert.equal(await powerOf(id), 'running');
    await driver.powerOff(id);
    await settle(driver.reboot(id, shutdownSeconds));
    assert.equal(await powerOf(id), 'running');
  },

  async 'reboot resets a guest that is deaf'({ t, driver, powerOf, booted, settle, deafen }) {
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    await settle(driver.reboot(id, DEAF_SECONDS));
    assert.equal(await powerOf(id), 'running');
  },

  async 'remove does not wait for a boot, and wins'(bench) {
    const { driver, powerOf, made, settle } = bench;
    const { id } = await made();
    const starting = Promise.allSettled([driver.start(id)]);
    await leavesOff(bench, id);
    await driver.remove(id);
    await settle(starting);
    assert.equal(await powerOf(id), 'absent');
  },
};
