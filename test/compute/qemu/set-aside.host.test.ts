import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ComputeDriver } from '../../../server/compute/driver.ts';
import type { Image } from '../../../server/compute/qemu/images/image.ts';
import { createImageStore } from '../../../server/compute/qemu/images/image-store.ts';
import { importBlank } from '../../support/blank-image.ts';
import { skipUnlessInstalled, skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { temporaryDirectory } from '../host/support.ts';
import { boot, qemuFor, tinySpec } from './support.ts';

const withDisks = { skip: skipUnlessInstalled('qemu-img') };
const skip = await skipWithoutTinyImage();

/** An image whose guests can only be off. */
async function blank(t: TestContext): Promise<Image> {
  const dataDir = await temporaryDirectory(t);
  await importBlank(dataDir, 'tiny');
  return (await createImageStore(join(dataDir, 'images')).find('tiny'))!;
}

function warnings() {
  const told: { vm_id?: string; err?: Error }[] = [];
  return { told, logger: { warn: (about: object) => void told.push(about) } as never };
}

const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);

const setAside = {
  name: 'ComputeUnavailableError',
  message: /^vm_\w+ is set aside: .*guest\.json cannot be read/,
};

/** Lists the guests without their host. */
const glances = async (driver: ComputeDriver) =>
  (await driver.list()).map(({ id, power }) => ({ id, power }));

test(
  'a guest with an unreadable record is set aside and named, and the others continue',
  withDisks,
  async (t) => {
    const { told, logger } = warnings();
    const { directory, driver, open } = qemuFor(t, await blank(t), { logger });
    const [broken, other] = [tinySpec({ id: 'vm_broken' }), tinySpec({ id: 'vm_other' })];
    for (const spec of [broken, other]) await driver.create(spec);
    await driver.close();
    const path = join(directory, broken.id, 'guest.json');
    const whole = await readFile(path, 'utf8');
    const record = JSON.parse(whole);
    const cuts = [
      '',
      whole.slice(0, whole.length / 2),
      'null',
      '{}',
      JSON.stringify({ ...record, mac: undefined }),
    ];
    for (const text of [...cuts, JSON.stringify({ ...record, id: other.id })]) {
      await writeFile(path, text);
      told.length = 0;
      const after = open();
      assert.deepEqual((await glances(after)).sort(byId), [
        { id: broken.id, power: 'unknown' },
        { id: other.id, power: 'off' },
      ]);
      assert.deepEqual(
        told.map(({ vm_id }) => vm_id),
        [broken.id],
        text,
      );
      assert.match(told[0]!.err!.message, /vm_broken\/guest\.json cannot be read: ./);
      assert.equal((await after.inspect(other.id))?.power, 'off');
      await after.resize(other.id, { vcpu: 1, ramMb: 256, diskGb: 1 });
      const asked = [
        () => after.inspect(broken.id),
        () => after.create(broken),
        () => after.start(broken.id),
        () => after.powerOff(broken.id),
        () => after.remove(broken.id),
        () => after.volumes(broken.id),
      ];
      for (const ask of asked) await assert.rejects(ask(), setAside);
      assert.deepEqual(await after.sample([broken.id, other.id]), []);
      assert.equal(await readFile(path, 'utf8'), text, 'nothing was done to it');
      await after.close();
    }

    const last = open();
    await last.list();
    await writeFile(path, whole);
    assert.deepEqual((await last.inspect(broken.id))?.ramMb, broken.ramMb);
    assert.match(JSON.stringify(told.at(-1)), /vm_broken/);
    await last.close();

    await writeFile(path, '');
    const gone = open();
    await assert.rejects(gone.inspect(broken.id), setAside);
    await rm(join(directory, broken.id), { recursive: true });
    assert.equal(await gone.inspect(broken.id), undefined, 'what the operator took away is gone');
    assert.deepEqual(await glances(gone), [{ id: other.id, power: 'off' }]);
    await gone.create(broken);
  },
);

test('a guest that runs while it is set aside is taken hold of when its record is mended', {
  skip,
}, async (t) => {
  const { driver, directory, open } = qemuFor(t, (await tinyImage())!, { logger: warnings().logger });
  const spec = tinySpec();
  await driver.create(spec);
  await boot(driver, spec.id);
  await driver.close();
  const path = join(directory, spec.id, 'guest.json');
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.slice(0, -20));
  const after = open();
  await assert.rejects(after.shutdown(spec.id, 60), setAside);
  await writeFile(path, whole);
  // No request for this guest is needed: the next sampling notices it.
  await after.sample([]);
  assert.equal((await after.inspect(spec.id))?.power, 'running');
  await after.powerOff(spec.id);
  assert.equal((await after.inspect(spec.id))?.power, 'off');
});
