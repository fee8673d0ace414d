import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteOrphan } from '../../server/db/queries/hosts/orphans.ts';
import { watchCapacity } from '../../server/jobs/timers/watch-capacity.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('the operator sees total, reserved and free capacity', async (t) => {
  const operator = await startOperator(t, { capacity: { ramMb: 65_536, cores: 0 } });
  const { dataDir, db, engine, clock, metrics } = operator;
  const orphan = {
    engine,
    guest_id: 'vm_lost',
    host_id: engine,
    vcpu: 2,
    ram_mb: 4_096,
    disk_gb: 40,
    addresses: [],
  };
  await db.transaction((tx) => noteOrphan(tx, orphan, clock.now()));
  const { stdout, stderr } = await vaubanctl(dataDir, 'host');
  assert.equal(stderr, '');
  const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(lines.slice(0, 6), [
    ['TOTAL', 'RESERVED', 'FREE'],
    ['virtual CPUs', 'no limit', '2', 'no limit'],
    ['dedicated cores', '0', '0', '0'],
    ['memory, MB', '65536', '4096', '61440'],
    ['disk, GB', 'no limit', '40', 'no limit'],
    ['Zones: all of the catalog'],
  ]);
  const { resources, zones } = JSON.parse((await vaubanctl(dataDir, 'host', '--json')).stdout);
  assert.equal(zones, null);
  assert.deepEqual(resources[2], { resource: 'ram_mb', total: 65_536, reserved: 4_096, free: 61_440 });
  await watchCapacity(operator);
  const text = await metrics.text();
  assert.match(text, /vauban_capacity\{resource="ram_mb",amount="total"\} 65536/);
  assert.match(text, /vauban_capacity\{resource="ram_mb",amount="reserved"\} 4096/);
});
