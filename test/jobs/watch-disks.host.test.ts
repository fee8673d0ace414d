import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskWatch } from '../../server/jobs/timers/watch-disks.ts';
import { createMetrics } from '../../server/platform/metrics.ts';
import { noSmallDisk, smallDisk } from '../support/small-disk.ts';

test('a file system that is four fifths full is reported once, and measured', {
  skip: noSmallDisk,
}, async (t) => {
  const { directory: dataDir, fill, makeRoom } = await smallDisk(t, 20);
  const pool = await smallDisk(t, 20);
  const lines: object[] = [];
  const logger = {
    warn: ({ used_percent }: { used_percent: number }, text: string) => lines.push([used_percent, text]),
    info: ({ used_percent }: { used_percent: number }, text: string) => lines.push([used_percent, text]),
  };
  const metrics = createMetrics('0');
  const config = { dataDir, poolDir: pool.directory };
  const watch = new DiskWatch({ config, logger: logger as never, metrics });
  const ratio = async (what: string) =>
    Number(
      new RegExp(`^vauban_disk_used_ratio\\{what="${what}"\\} (.*)$`, 'm').exec(await metrics.text())?.[1],
    );
  await watch.run();
  assert.deepEqual([await ratio('data'), await ratio('pool')], [0, 0]);
  assert.deepEqual(lines, []);
  await fill(3);
  await watch.run();
  await watch.run();
  assert.deepEqual(lines, [[85, 'file system nearly full']]);
  assert.deepEqual([await ratio('data'), await ratio('pool')], [0.85, 0]);
  await makeRoom();
  await watch.run();
  await pool.fill(1);
  await watch.run();
  assert.deepEqual(lines.slice(1), [
    [0, 'file system has free space again'],
    [95, 'file system nearly full'],
  ]);
});
