import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  CapacityError,
  type ComputeDriver,
  TemplateUnavailableError,
} from '../../../server/compute/driver.ts';
import { overheadOf } from '../../../server/compute/qemu/capacity.ts';
import type { Image } from '../../../server/compute/qemu/images/image.ts';
import { createImageStore } from '../../../server/compute/qemu/images/image-store.ts';
import { Cores } from '../../../server/compute/qemu/process/cores.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { importBlank } from '../../support/blank-image.ts';
import { skipUnlessInstalled } from '../../support/tiny-image.ts';
import { temporaryDirectory } from '../host/support.ts';
import { qemuFor, tinySpec } from './support.ts';

const withDisks = { skip: skipUnlessInstalled('qemu-img') };
const withMachines = {
  skip:
    skipUnlessInstalled('qemu-system-x86_64', 'qemu-img', 'taskset') ||
    (availableParallelism() < 2 && 'this machine has one CPU, none of which can be set aside'),
};
const { ramMb } = tinySpec();
/** The host memory that one of these guests takes. */
const COST = ramMb + overheadOf('tcg')(ramMb).ramMb;

/** An image whose guests boot into nothing. */
async function blank(t: TestContext): Promise<Image> {
  const dataDir = await temporaryDirectory(t);
  await importBlank(dataDir, 'tiny');
  return (await createImageStore(join(dataDir, 'images')).find('tiny'))!;
}

const capacity = (memoryMb: number, diskGb = 1_000) => ({ cpuOvercommit: 64, memoryMb, diskGb });

test(
  "of eight guests created at once, only as many are created as fit into memory, including QEMU's own",
  withDisks,
  async (t) => {
    const { driver } = qemuFor(t, await blank(t), { capacity: capacity(4 * COST - 1) });
    const specs = Array.from({ length: 8 }, () => tinySpec());
    const made = await Promise.allSettled(specs.map((spec) => driver.create(spec)));
    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.equal(refused.length, 5);
    for (const error of refused) assert.ok(error instanceof CapacityError, `${error}`);
    const there = await driver.list();
    assert.equal(there.length, 3);
    // Creating an existing guest again succeeds even if nothing is free.
    await driver.create(specs[made.findIndex(({ status }) => status === 'fulfilled')]!);
    await driver.remove(there[0]!.id);
    await driver.create(tinySpec());
  },
);

test('disks and their snapshots count, and none grows beyond the space', withDisks, async (t) => {
  const { driver } = qemuFor(t, await blank(t), { capacity: capacity(16_384, 4) });
  const spec = tinySpec({ diskGb: 2 });
  await driver.create(spec);
  await driver.createSnapshot(spec.id, 'snap_one');
  await assert.rejects(driver.create(tinySpec({ diskGb: 1 })), /diskGb left/);
  await assert.rejects(driver.resize(spec.id, { ...spec, diskGb: 4 }), CapacityError);
  await driver.deleteSnapshot(spec.id, 'snap_one');
  await driver.create(tinySpec({ diskGb: 1 }));
});

test('the second disk of a rebuild counts until its end is known', withDisks, async (t) => {
  const { driver } = qemuFor(t, await blank(t), { capacity: capacity(16_384, 5) });
  const spec = tinySpec({ diskGb: 2 });
  await driver.create(spec);
  await driver.rebuild(spec, 'job_1');
  // Repeating the rebuild succeeds even if nothing is free.
  await driver.rebuild(spec, 'job_1');
  await assert.rejects(driver.create(tinySpec({ diskGb: 1 })), /diskGb left/);
  await driver.undoRebuild(spec.id, 'job_1');
  const other = tinySpec({ diskGb: 1 });
  await driver.create(other);
  await assert.rejects(driver.rebuild(spec, 'job_2'), CapacityError);
  await driver.remove(other.id);
  await driver.rebuild(spec, 'job_2');
  await driver.finishRebuild(spec.id, 'job_2');
  await driver.create(other);
});

test('a guest for which the memory is short is not started', withDisks, async (t) => {
  const { driver, open } = qemuFor(t, await blank(t));
  const spec = tinySpec();
  await driver.create(spec);
  await driver.close();
  // The operator has reduced the memory in the meantime.
  const after = open({ capacity: capacity(ramMb - 1) });
  await assert.rejects(after.start(spec.id), CapacityError);
  assert.equal((await after.inspect(spec.id))?.power, 'off');
});

test('a template has an image or not, and a disk into which it fits', withDisks, async (t) => {
  const image = await blank(t);
  const { driver } = qemuFor(t, { ...image, virtualBytes: 1_500_000_000 });
  assert.deepEqual(await driver.findTemplate('tiny'), { minDiskGb: 2 });
  assert.equal(await driver.findTemplate('ubuntu-24.04'), undefined);
  await assert.rejects(driver.create(tinySpec({ template: 'ubuntu-24.04' })), TemplateUnavailableError);
});

test('CPUs are set aside for one guest each, kept while they are right, and only such as there are', () => {
  const cores = new Cores([2, 3, 6], [0, 1, 2, 3, 6]);
  assert.deepEqual([cores.aside, cores.shared, cores.sharedList], [3, 2, '0,1']);
  const guest = { id: 'a', vcpu: 2, ramMb: 1, diskGb: 1, dedicated: true };
  assert.deepEqual(cores.assign(guest, []), [2, 3]);
  const other = { ...guest, id: 'b', vcpu: 1, cpus: [2] };
  assert.deepEqual(cores.assign(guest, [other]), [3, 6]);
  assert.deepEqual(cores.assign({ ...guest, cpus: [3, 6] }, [other, guest]), [3, 6]);
  // The operator has reserved other cores since, or the guest has grown.
  assert.deepEqual(cores.assign({ ...guest, cpus: [0, 1] }, [other]), [3, 6]);
  assert.throws(() => cores.assign({ ...guest, vcpu: 3 }, [other]), CapacityError);
  assert.equal(cores.assign({ ...guest, dedicated: false }, [other]), undefined);
  assert.throws(() => new Cores([7], [0, 1]), /VAUBAN_QEMU_DEDICATED_CPUS: this host has no CPU 7/);
  assert.throws(() => new Cores([0, 1], [0, 1]), /must leave a CPU/);
});

test('a dedicated guest runs on its own CPUs, and any other on the rest', withMachines, async (t) => {
  const { directory, driver } = qemuFor(t, await blank(t), { cores: new Cores([1], [0, 1]) });
  assert.equal((await driver.hosts())[0]?.capacity.total.cores, 1);
  const [own, shared] = [tinySpec({ dedicated: true }), tinySpec()];
  for (const spec of [own, shared]) await driver.create(spec);
  await assert.rejects(driver.create(tinySpec({ dedicated: true })), /0 cores left, not 1/);
  assert.deepEqual(await cpusOf(driver, directory, own.id), ['1']);
  assert.deepEqual(await cpusOf(driver, directory, shared.id), ['0']);
});

/** Starts a guest and returns the CPUs that its threads may use. */
async function cpusOf(driver: ComputeDriver, directory: string, id: string): Promise<string[]> {
  const enough = new AbortController();
  const started = driver.start(id, enough.signal).catch((error) => error);
  while ((await driver.inspect(id))?.power !== 'booting') await systemClock.sleep(20);
  const pid = (await readFile(join(directory, id, 'qemu.pid'), 'utf8')).trim();
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map(async (thread) => {
      const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8');
      return /^Cpus_allowed_list:\s*(.*)$/m.exec(status)![1]!;
    }),
  );
  enough.abort();
  await started;
  await driver.powerOff(id);
  return [...new Set(lists)];
}
