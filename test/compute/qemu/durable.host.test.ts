import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { writeDurably } from '../../../server/platform/durable-file.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';
import { temporaryDirectory } from '../host/support.ts';

const SERVER = join(import.meta.dirname, '../../../server');

/** Runs a script and returns the paths that it synced and renamed, in order. */
async function traced(directory: string, script: string): Promise<string[]> {
  const log = join(directory, 'trace');
  const program = [process.execPath, '--input-type=module', '-e', script];
  // With -y, strace prints the path of each file descriptor.
  const watched = 'trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat';
  // Node's compile cache renames files too.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  execFileSync('strace', ['-f', '-y', '-e', watched, '-o', log, ...program], { env });
  const calls = (await readFile(log, 'utf8')).matchAll(
    /\b(f\w*sync|rename|link)\w*\((?:\d+<([^>]+)>|[^)]*"([^"]+)"\))/g,
  );
  return [...calls].map(
    ([, call, synced, to]) =>
      `${call === 'fdatasync' ? 'fsync' : call} ${(synced ?? to)!.replace(`${directory}/`, '')}`,
  );
}

test('a record is on the disk before it is moved into place, and its new name before success is reported', {
  skip: !isInstalled('strace') && 'strace not installed',
}, async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'vm_1'));
  const seen = await traced(
    directory,
    `const { Guest } = await import('${SERVER}/compute/qemu/guest/guest.ts');
     await new Guest('${directory}/vm_1', { id: 'vm_1' }).save();
     const { placeOf } = await import('${SERVER}/compute/qemu/place.ts');
     await placeOf('${directory}/vm_1');`,
  );
  const [id, ...rest] = seen.slice(3).map((line) => line.replace(/engine\.id\.[0-9a-f-]{36}/, 'draft'));
  assert.deepEqual(seen.slice(0, 3), ['fsync vm_1/guest.json.new', 'rename vm_1/guest.json', 'fsync vm_1']);
  assert.deepEqual(
    [id, ...rest],
    ['fsync vm_1/draft.new', 'rename vm_1/draft', 'fsync vm_1', 'link vm_1/engine.id', 'fsync vm_1'],
  );
});

test('on a full disk a record stays unchanged', { skip: noSmallDisk }, async (t) => {
  const disk = await smallDisk(t, 1);
  const path = join(disk.directory, 'guest.json');
  await writeFile(path, 'before');
  await disk.fill();
  await assert.rejects(writeDurably(path, 'x'.repeat(10_000), 0o600), { code: 'ENOSPC' });
  assert.equal(await readFile(path, 'utf8'), 'before');
  await disk.makeRoom();
  await writeDurably(path, 'after', 0o600);
  assert.equal(await readFile(path, 'utf8'), 'after');
});
