import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { chooseCpu, findOffer } from '../../../server/compute/qemu/process/hardware.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { qemuFor, tinySpec } from './support.ts';

const image = (await tinyImage())!;
const skip = await skipWithoutTinyImage();
const cpuinfo = (maker: string) => `processor\t: 0\nvendor_id\t: ${maker}\nflags\t\t: fpu\n`;

test('a processor is the ablest model that lacks nothing, of the maker of the host', () => {
  const whole = (...names: string[]) => names.map((name) => ({ name, 'unavailable-features': [] }));
  const models = [
    ...whole('EPYC-Milan-v1', 'EPYC-Rome-v2', 'EPYC-v3', 'Nehalem-v2', 'Westmere-v1', 'qemu64-v1', 'max'),
    { name: 'EPYC-Milan-v2', 'unavailable-features': ['vpclmulqdq'] },
    { name: 'Haswell-v4' },
  ];
  assert.equal(chooseCpu('kvm', cpuinfo('AuthenticAMD'), models), 'EPYC-Milan-v1');
  assert.equal(chooseCpu('kvm', cpuinfo('GenuineIntel'), models), 'Nehalem-v2');
  assert.equal(chooseCpu('tcg', cpuinfo('AuthenticAMD'), models), 'Westmere-v1');
  for (const maker of ['HygonGenuine', '__proto__', 'constructor'])
    assert.equal(chooseCpu('kvm', cpuinfo(maker), models), 'qemu64-v1');
  assert.equal(chooseCpu('kvm', '', []), 'qemu64-v1');
});

test('a guest keeps the machine type it was created with, and an older one the type it ran with', {
  skip,
}, async (t) => {
  const { hardware, aio } = await findOffer('tcg');
  t.diagnostic(`${hardware.machine}, ${hardware.cpu}, disk by ${aio ?? 'threads'}`);
  assert.match(hardware.machine, /^pc-q35-\d+\.\d+$/);
  assert.match(hardware.cpu, /^(Westmere|qemu64)-v1$/);
  const { directory, driver, open } = qemuFor(t, image);
  const specs = ['52:54:00:00:00:01', '52:54:00:00:00:02'].map((mac) => tinySpec({ mac }));
  const [made, old] = specs.map(({ id }) => join(directory, id, 'guest.json')) as [string, string];
  for (const spec of specs) await driver.create(spec);
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'));
  assert.deepEqual((await read(made)).hardware, hardware);
  await driver.close();

  // One guest was created with an earlier QEMU, the other by an earlier version of this project.
  const before = { machine: 'pc-q35-6.2', cpu: 'Conroe-v1', tablet: false };
  await writeFile(made, JSON.stringify({ ...(await read(made)), hardware: before }));
  const { hardware: _, ...without } = await read(old);
  await writeFile(old, JSON.stringify(without));
  const next = open();
  for (const { id } of specs) await next.start(id);
  const lines = await Promise.all(
    specs.map(async ({ id }) => {
      const pid = (await readFile(join(directory, id, 'qemu.pid'), 'utf8')).trim();
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    }),
  );
  const seen = lines.map((words) => [
    words[words.indexOf('-machine') + 1],
    words[words.indexOf('-cpu') + 1],
    words.some((word) => word.startsWith('usb-tablet')),
  ]);
  assert.deepEqual(seen, [
    ['pc-q35-6.2', 'Conroe-v1', false],
    [hardware.machine, 'max', false],
  ]);
  assert.deepEqual((await read(made)).hardware, before);
  assert.deepEqual((await read(old)).hardware, { machine: hardware.machine, cpu: 'max', tablet: false });
});
