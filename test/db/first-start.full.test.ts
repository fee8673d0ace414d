// Runs on both engines: the embedded one is made by its first start.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { one, sql } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';

test('a database that was half made when its process was killed is made again', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'vauban-'));
  t.after(() => rm(place, { recursive: true }));
  const directory = join(place, 'pglite');
  await mkdir(join(directory, 'base'), { recursive: true });
  await writeFile(join(directory, 'PG_VERSION'), '18\n');
  await writeFile(`${directory}.unfinished`, '');

  const first = await openPglite(directory);
  await first.script('create table kept (id int)');
  await first.close();
  assert.deepEqual(await readdir(place), ['pglite']);

  const second = await openPglite(directory);
  assert.deepEqual(await one(second, sql`select count(*)::int as count from kept`), { count: 0 });
  await second.close();
});

test('a directory that cannot be opened is an error with its reason', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'vauban-'));
  t.after(() => rm(place, { recursive: true }));
  await writeFile(join(place, 'file'), '');
  await assert.rejects(openPglite(join(place, 'file', 'pglite')), { code: 'ENOTDIR' });
});
