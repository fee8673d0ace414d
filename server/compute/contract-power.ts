import assert from 'node:assert/strict';
import type { ContractCases, Harness } from './contract.ts';
import { ComputeUnavailableError, type GuestEvent, ShutdownTimeoutError } from './driver.ts';

/** Long enough to be noticed as a wait, short enough to wait for on a real engine. */
const DEAF_SECONDS = 3;

/** Returns once the guest has left the state `off`; otherwise ends with the test's timeout. */
async function leavesOff({ powerOf, t }: Harness, id: string): Promise<void> {
  while ((await powerOf(id)) === 'off') {
    t.signal.throwIfAborted();
    await new Promise(setImmediate);
  }
}

export const POWER: ContractCases = {
  async 'start resolves when the guest is on; repeating it succeeds'(harness) {
    const { driver, powerOf, made, untilUp, settle } = harness;
    const { id } = await made();
    await settle(driver.start(id));
    assert.notEqual(await powerOf(id), 'off');
    await settle(driver.start(id));
    assert.equal(await untilUp(id), 'running');
    await settle(driver.start(id));
    assert.equal(await powerOf(id), 'running');
  },

  async 'a guest in which nothing answers starts, is metered, reported once, and obeys'(harness) {
    const { t, driver, powerOf, made, unready, settle, idle, shutdownSeconds } = harness;
    const { id } = await made(unready());
    const hints: GuestEvent[] = [];
    driver.watch((event) => event.id === id && event.waitedFor && hints.push(event));
    await settle(driver.start(id));
    assert.notEqual(await powerOf(id), 'off');
    assert.equal((await driver.sample([id])).length, 1);
    while (hints.length === 0 || (await powerOf(id)) === 'booting') {
      t.signal.throwIfAborted();
      await idle();
    }
    assert.equal(await powerOf(id), 'running');
    assert.equal((await driver.sample([id])).length, 1);
    // The wait for readiness may be shorter than the boot.
    while (!(await driver.inspect(id))?.agent) {
      t.signal.throwIfAborted();
      await idle();
    }
    await settle(driver.setPassword(id, 'root', 'correct horse'));
    await settle(driver.reboot(id, shutdownSeconds));
    assert.equal((await driver.sample([id])).length, 1);
    assert.equal(hints[0]?.type, 'guest.warning');
    assert.match(hints[0].waitedFor!, /^port:[0-9]+$/);
    await settle(driver.shutdown(id, shutdownSeconds));
    assert.equal(await powerOf(id), 'off');
  },

  async 'shutdown resolves when the guest is off; repeating it succeeds'(harness) {
    const { driver, powerOf, booted, untilUp, settle, shutdownSeconds } = harness;
    const { id } = await booted();
    await settle(driver.shutdown(id, shutdownSeconds));
    assert.equal(await powerOf(id), 'off');
    await settle(driver.shutdown(id, shutdownSeconds));
    await settle(driver.start(id));
    assert.equal(await untilUp(id), 'running');
  },

  async 'shutdown of a guest that ignores it times out and leaves it running'(harness) {
    const { t, driver, powerOf, booted, settle, deafen } = harness;
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    await assert.rejects(settle(driver.shutdown(id, DEAF_SECONDS)), ShutdownTimeoutError);
    assert.equal(await powerOf(id), 'running');
  },

  async 'an aborted shutdown rejects with the reason'({ t, driver, booted, settle, deafen }) {
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    const reason = new Error('no longer wanted');
    const giveUp = new AbortController();
    const stopping = driver.shutdown(id, DEAF_SECONDS, giveUp.signal);
    giveUp.abort(reason);
    await assert.rejects(settle(stopping), reason);
  },

  async 'powerOff ends a waiting shutdown'(harness) {
    const { t, driver, powerOf, booted, settle, shutdownSeconds, deafen } = harness;
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    const stopping = driver.shutdown(id, shutdownSeconds);
    await settle(Promise.all([stopping, driver.powerOff(id)]));
    assert.equal(await powerOf(id), 'off');
  },

  async 'powerOff cuts the power, and succeeds for a guest that is off'({ driver, powerOf, booted }) {
    const { id } = await booted();
    await driver.powerOff(id);
    assert.equal(await powerOf(id), 'off');
    await driver.powerOff(id);
  },

  async 'powerOff interrupts a boot'(harness) {
    const { driver, powerOf, made, settle } = harness;
    const { id } = await made();
    const starting = Promise.allSettled([driver.start(id)]);
    await leavesOff(harness, id);
    await driver.powerOff(id);
    await settle(starting);
    assert.equal(await powerOf(id), 'off');
  },

  async 'reboot resolves when the guest boots again; one that is off is started'(harness) {
    const { driver, booted, untilUp, settle, shutdownSeconds } = harness;
    const { id } = await booted();
    await settle(driver.reboot(id, shutdownSeconds));
    assert.equal(await untilUp(id), 'running');
    await driver.powerOff(id);
    await settle(driver.reboot(id, shutdownSeconds));
    assert.equal(await untilUp(id), 'running');
  },

  async 'reboot resets a guest that ignores it'({ t, driver, booted, untilUp, settle, deafen }) {
    if (!deafen) return t.skip('this engine has no deaf guests');
    const { id } = await booted();
    await deafen(id);
    await settle(driver.reboot(id, DEAF_SECONDS));
    assert.equal(await untilUp(id), 'running');
  },

  async 'a guest that cannot be seen is neither missing nor off, and is adopted again once it can be'(
    harness,
  ) {
    const { t, booted, settle, hide, reopen, shutdownSeconds } = harness;
    if (!hide) return t.skip('every guest of this engine can be seen');
    const { id, hostId } = await booted();
    const show = await hide(id);
    const driver = await reopen();
    const sight = async () => (await driver.list()).find((guest) => guest.id === id);
    assert.deepEqual(await sight(), { id, hostId, power: 'unknown' });
    await assert.rejects(driver.inspect(id), ComputeUnavailableError);
    await assert.rejects(settle(driver.shutdown(id, shutdownSeconds)), ComputeUnavailableError);
    await assert.rejects(settle(driver.start(id)), ComputeUnavailableError);
    assert.deepEqual(await sight(), { id, hostId, power: 'unknown' });
    await show();
    // A request made in the meantime may still block it.
    while ((await sight())?.power === 'unknown') {
      t.signal.throwIfAborted();
      await new Promise(setImmediate);
    }
    assert.equal((await driver.inspect(id))?.power, 'running');
    assert.deepEqual(await sight(), { id, hostId, power: 'running' });
    await settle(driver.shutdown(id, shutdownSeconds));
    assert.equal((await driver.inspect(id))?.power, 'off');
  },

  async 'the power of a guest that cannot be seen can be cut'(harness) {
    const { t, booted, untilUp, settle, hide, reopen } = harness;
    if (!hide) return t.skip('every guest of this engine can be seen');
    const { id } = await booted();
    const show = await hide(id);
    const driver = await reopen();
    await driver.powerOff(id);
    await show();
    assert.equal((await driver.inspect(id))?.power, 'off');
    await settle(driver.start(id));
    assert.equal(await untilUp(id, driver), 'running');
  },

  async 'remove interrupts a boot'(harness) {
    const { driver, powerOf, made, settle } = harness;
    const { id } = await made();
    const starting = Promise.allSettled([driver.start(id)]);
    await leavesOff(harness, id);
    await driver.remove(id);
    await settle(starting);
    assert.equal(await powerOf(id), 'absent');
  },
};
