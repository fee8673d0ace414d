import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ComputeDriver } from '../../../server/compute/driver.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { qemuFor, tinySpec } from './support.ts';

// The disks of stopped guests, written from outside: no guest boots in this file.

const image = await tinyImage();
const options = image ? {} : { skip: await skipWithoutTinyImage() };
const MEBIBYTE = 1_048_576;

/** Creates a stopped guest and returns access to its files. */
async function openGuest(t: TestContext) {
  const { directory, driver, open } = qemuFor(t, image!);
  const spec = tinySpec();
  await driver.create(spec);
  const at = (name: string) => join(directory, spec.id, name);
  const io = (command: string) => execFileSync('qemu-io', ['-f', 'qcow2', '-c', command, at('disk.qcow2')]);
  return {
    spec,
    driver,
    at,
    write: (pattern: number) => io(`write -P ${pattern} 512M ${MEBIBYTE}`),
    /** Throws unless the disk contains what {@link write} wrote. */
    verify(pattern: number) {
      const said = `${io(`read -P ${pattern} 512M ${MEBIBYTE}`)}`;
      assert.match(said, /^read /, said);
    },
    info: () => JSON.parse(`${execFileSync('qemu-img', ['info', '--output=json', at('disk.qcow2')])}`),
    check: () => execFileSync('qemu-img', ['check', '-q', at('disk.qcow2')]),
    record: () => JSON.parse(readFileSync(at('guest.json'), 'utf8')),
    /** Closes the driver, alters the guest's record and opens another driver. */
    async after(alter: (record: { rebuilt?: object; restoring?: boolean }) => void, last: ComputeDriver) {
      await last.close();
      const record = JSON.parse(readFileSync(at('guest.json'), 'utf8'));
      alter(record);
      writeFileSync(at('guest.json'), JSON.stringify(record));
      const next = open();
      assert.equal((await next.inspect(spec.id))?.power, 'off');
      return next;
    },
  };
}

test(
  'a restore brings bytes back and leaves a sound disk, after one that was cut off as well',
  options,
  async (t) => {
    const guest = await openGuest(t);
    const { spec, driver } = guest;
    guest.write(1);
    await driver.createSnapshot(spec.id, 'snap_1');
    guest.write(2);
    await driver.createSnapshot(spec.id, 'snap_2');
    guest.write(3);
    await driver.resize(spec.id, { ...spec, diskGb: 2 });
    await driver.restoreSnapshot(spec.id, 'snap_1');
    guest.verify(1);
    guest.write(4);
    const next = await guest.after((record) => {
      record.restoring = true;
    }, driver);
    await next.restoreSnapshot(spec.id, 'snap_2');
    guest.verify(2);
    guest.check();
    assert.equal(guest.record().restoring, undefined);
    assert.equal(guest.info()['virtual-size'], 2_000_000_000);
    assert.deepEqual(
      guest.info().snapshots.map(({ name }: { name: string }) => name),
      ['snap_1', 'snap_2'],
    );
    await next.restoreSnapshot(spec.id, 'snap_1');
    guest.verify(1);
  },
);

/** The file moves of a rebuild, undone from the last one on, so that only the first `done` remain. */
const MOVES = [
  ['disk.qcow2', 'former.qcow2'],
  ['next.qcow2', 'disk.qcow2'],
  ['seed.iso', 'former.iso'],
  ['next.iso', 'seed.iso'],
] as const;

for (let done = 0; done <= MOVES.length; done++) {
  test(`a rebuild interrupted after ${done} of its moves continues, forward and back`, options, async (t) => {
    const guest = await openGuest(t);
    const { spec, at, driver } = guest;
    const seed = readFileSync(at('seed.iso'));
    guest.write(1);
    await driver.createSnapshot(spec.id, 'snap_1');
    const anew = { ...spec, hostname: 'anew' };
    await driver.rebuild(anew, 'job_1');
    const next = await guest.after(() => {
      for (const [from, to] of MOVES.slice(done).toReversed()) renameSync(at(to), at(from));
    }, driver);
    await next.rebuild(anew, 'job_1');
    guest.verify(0);
    assert.equal(guest.info().snapshots, undefined);
    assert.notDeepEqual(readFileSync(at('seed.iso')), seed);
    guest.write(5);

    await next.undoRebuild(spec.id, 'job_1');
    guest.verify(1);
    assert.deepEqual(readFileSync(at('seed.iso')), seed);
    assert.deepEqual((await next.inspect(spec.id))?.snapshotIds, ['snap_1']);
    assert.equal(guest.record().hostname, spec.hostname);
    for (const [name] of [...MOVES, ['former.qcow2'], ['former.iso']] as const)
      assert.equal(existsSync(at(name)), name.startsWith('disk') || name.startsWith('seed'), name);
  });
}

test('an interrupted undo of a rebuild continues at the next start', options, async (t) => {
  const guest = await openGuest(t);
  const { spec, at, driver } = guest;
  guest.write(1);
  const former = guest.record();
  await driver.rebuild({ ...spec, hostname: 'anew' }, 'job_1');
  await guest.after((record) => {
    Object.assign(record, former, { rebuilt: { ...record.rebuilt, back: true } });
    renameSync(at('former.qcow2'), at('disk.qcow2'));
  }, driver);
  guest.verify(1);
  assert.deepEqual(guest.record(), former);
  assert.ok(!existsSync(at('former.iso')));
});

test('a rebuild that fails leaves the guest unchanged', options, async (t) => {
  const guest = await openGuest(t);
  const { spec, at, driver } = guest;
  guest.write(1);
  const former = guest.record();
  await assert.rejects(driver.rebuild({ ...spec, template: 'none' }, 'job_1'), /no image/);
  guest.verify(1);
  assert.deepEqual(guest.record(), former);
  assert.ok(!existsSync(at('next.qcow2')));
  // A finished rebuild leaves nothing behind.
  await driver.rebuild(spec, 'job_2');
  await driver.finishRebuild(spec.id, 'job_2');
  guest.verify(0);
  assert.ok(!existsSync(at('former.qcow2')) && !existsSync(at('former.iso')));
  assert.equal(guest.record().rebuilt, undefined);
});
