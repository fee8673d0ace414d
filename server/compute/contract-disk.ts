import assert from 'node:assert/strict';
import type { ContractCases, Harness } from './contract.ts';
import { inGuest, KEY } from './contract-shell.ts';

const SNAPSHOT = 'snap_contract';
const REBUILD = 'rebuild_contract';
/** In the home directory of the user who logs in. */
const FILE = 'contract.txt';

/** Returns a booted guest with a file containing `text`. */
async function holding(harness: Harness, text: string) {
  const spec = await harness.booted({ authorizedKeys: [KEY.public] });
  await write(harness, spec.id, text);
  return spec;
}

const write = (harness: Harness, id: string, text: string) => inGuest(harness, id, `echo ${text} > ${FILE}`);

async function off({ driver, settle, shutdownSeconds }: Harness, id: string): Promise<void> {
  await settle(driver.shutdown(id, shutdownSeconds));
}

/** Returns the content of a guest that is off. Boots it for that and switches it off again. */
async function heldBy(harness: Harness, id: string): Promise<{ text: string; hostKey: string }> {
  await harness.settle(harness.driver.start(id));
  await harness.untilUp(id);
  const held = await inGuest(harness, id, `cat ${FILE}`);
  await off(harness, id);
  return held;
}

export const DISK: ContractCases = {
  async 'restoreSnapshot restores the bytes of that moment, taken on or off; every snapshot stays'(harness) {
    const { driver } = harness;
    const { id, vcpu, ramMb, diskGb } = await holding(harness, 'first');
    await driver.createSnapshot(id, `${SNAPSHOT}_on`);
    await write(harness, id, 'second');
    await off(harness, id);
    await driver.createSnapshot(id, `${SNAPSHOT}_off`);
    // The disk must keep the size it has grown to.
    await driver.resize(id, { vcpu, ramMb, diskGb: diskGb + 1 });
    await driver.restoreSnapshot(id, `${SNAPSHOT}_on`);
    await driver.restoreSnapshot(id, `${SNAPSHOT}_on`);
    assert.equal((await heldBy(harness, id)).text, 'first\n');
    await driver.restoreSnapshot(id, `${SNAPSHOT}_off`);
    assert.equal((await heldBy(harness, id)).text, 'second\n');
    const { snapshotIds, diskGb: grown } = (await driver.inspect(id))!;
    assert.deepEqual(snapshotIds.toSorted(), [`${SNAPSHOT}_off`, `${SNAPSHOT}_on`]);
    assert.deepEqual([grown, (await driver.volumes(id))[0]!.sizeGb], [diskGb + 1, diskGb + 1]);
  },

  async 'restoreSnapshot refuses a running guest and a missing snapshot, and changes nothing then'(harness) {
    const { driver } = harness;
    const { id } = await holding(harness, 'first');
    await driver.createSnapshot(id, SNAPSHOT);
    await write(harness, id, 'second');
    await assert.rejects(driver.restoreSnapshot(id, SNAPSHOT), Error);
    await off(harness, id);
    await assert.rejects(driver.restoreSnapshot(id, 'snap_unknown'), Error);
    await driver.deleteSnapshot(id, SNAPSHOT);
    await assert.rejects(driver.restoreSnapshot(id, SNAPSHOT), Error);
    assert.equal((await heldBy(harness, id)).text, 'second\n');
  },

  async 'rebuild creates a new guest, and undoing it restores the old one with its snapshots'(harness) {
    const { driver } = harness;
    const spec = await holding(harness, 'first');
    const { id, diskGb } = spec;
    await driver.createSnapshot(id, SNAPSHOT);
    await assert.rejects(driver.rebuild(spec, REBUILD), Error);
    await write(harness, id, 'second');
    await off(harness, id);
    const former = { ...(await driver.inspect(id))!, ...(await heldBy(harness, id)) };

    const anew = { ...spec, hostname: 'anew', diskGb: diskGb + 1 };
    await driver.rebuild(anew, REBUILD);
    await driver.rebuild(anew, REBUILD);
    const { snapshotIds, ...fresh } = { ...(await driver.inspect(id))!, ...(await heldBy(harness, id)) };
    assert.deepEqual([snapshotIds, fresh.diskGb, fresh.text], [[], diskGb + 1, '']);
    assert.deepEqual(fresh.addresses, former.addresses);
    assert.notEqual(fresh.hostKey, former.hostKey);

    await driver.undoRebuild(id, 'rebuild_other');
    await driver.undoRebuild(id, REBUILD);
    await driver.undoRebuild(id, REBUILD);
    await driver.finishRebuild(id, REBUILD);
    assert.deepEqual({ ...(await driver.inspect(id))!, ...(await heldBy(harness, id)) }, former);
    await driver.restoreSnapshot(id, SNAPSHOT);
    assert.equal((await heldBy(harness, id)).text, 'first\n');
  },

  async 'a failed rebuild is undone: the guest is unchanged, and can be reached'(harness) {
    const { driver, settle } = harness;
    const spec = await holding(harness, 'first');
    await off(harness, spec.id);
    await assert.rejects(driver.rebuild({ ...spec, template: 'absent' }, REBUILD), Error);
    await driver.undoRebuild(spec.id, REBUILD);
    await driver.undoRebuild(spec.id, REBUILD);
    assert.equal((await heldBy(harness, spec.id)).text, 'first\n');
    // Nothing of it blocks the next rebuild.
    await driver.rebuild(spec, 'rebuild_next');
    await driver.finishRebuild(spec.id, 'rebuild_next');
    await settle(driver.start(spec.id));
    await harness.untilUp(spec.id);
    assert.equal((await inGuest(harness, spec.id, `cat ${FILE} 2>/dev/null`)).text, '');
  },

  async 'a finished rebuild cannot be undone'(harness) {
    const { driver, made, settle } = harness;
    const spec = await made({ authorizedKeys: [KEY.public] });
    await driver.createSnapshot(spec.id, SNAPSHOT);
    // An unfinished rebuild by another id is discarded.
    await driver.rebuild(spec, 'rebuild_other');
    await driver.rebuild({ ...spec, hostname: 'anew' }, REBUILD);
    await driver.finishRebuild(spec.id, 'rebuild_other');
    await driver.finishRebuild(spec.id, REBUILD);
    await driver.finishRebuild(spec.id, REBUILD);
    await driver.undoRebuild(spec.id, 'rebuild_other');
    await driver.undoRebuild(spec.id, REBUILD);
    assert.deepEqual((await driver.inspect(spec.id))?.snapshotIds, []);
    await settle(driver.start(spec.id));
    await harness.untilUp(spec.id);
    assert.equal((await inGuest(harness, spec.id, 'hostname')).text, 'anew\n');
  },

  async 'rebuild creates a missing guest, and undoing it removes the guest'({ driver, made, powerOf }) {
    const spec = await made();
    await driver.remove(spec.id);
    await driver.rebuild(spec, REBUILD);
    await driver.rebuild(spec, REBUILD);
    assert.equal(await powerOf(spec.id), 'off');
    await driver.undoRebuild(spec.id, REBUILD);
    await driver.undoRebuild(spec.id, REBUILD);
    assert.equal(await powerOf(spec.id), 'absent');
    await driver.rebuild(spec, REBUILD);
    await driver.finishRebuild(spec.id, REBUILD);
    await driver.undoRebuild(spec.id, REBUILD);
    assert.equal(await powerOf(spec.id), 'off');
  },
};
