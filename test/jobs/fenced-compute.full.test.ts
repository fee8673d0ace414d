import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ComputeDriver, NetworkPolicy } from '../../server/compute/driver.ts';
import { sql } from '../../server/db/database.ts';
import { fencedCompute } from '../../server/jobs/fenced-compute.ts';
import { booted, guestSpec, openTestDatabase, simulator } from '../compute/support.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKGHLEsGGzLLFmkI7ORcJX5gQzEDE2K8wl8yUd2sZw1c fenced';

const db = await openTestDatabase();
after(() => db.close());

const guests = () => db.query(sql`select id, state from simulator_guests order by id`);

const RULES: NetworkPolicy = { defaultIn: 'drop', defaultOut: 'drop', firewall: [], portForwards: [] };

class Deposed extends Error {}
const shut = async () => {
  throw new Deposed();
};

/** Each change as a job of a deposed node would request it. */
const CHANGES: [string, (driver: ComputeDriver, id: string) => Promise<unknown>][] = [
  ['create', (driver) => driver.create(guestSpec())],
  ['start', (driver, id) => driver.start(id)],
  ['shutdown', (driver, id) => driver.shutdown(id, 60)],
  ['powerOff', (driver, id) => driver.powerOff(id)],
  ['reboot', (driver, id) => driver.reboot(id, 60)],
  ['remove', (driver, id) => driver.remove(id)],
  ['resize', (driver, id) => driver.resize(id, { vcpu: 4, ramMb: 4096, diskGb: 40 })],
  ['move', (driver, id) => driver.move(id, { hostId: 'simulator' }, 'cold')],
  ['setPassword', (driver, id) => driver.setPassword(id, 'debian', 'correct horse')],
  ['authorizeKey', (driver, id) => driver.authorizeKey(id, KEY)],
  ['revokeKey', (driver, id) => driver.revokeKey(id, KEY)],
  ['createSnapshot', (driver, id) => driver.createSnapshot(id, 'snap_1')],
  ['deleteSnapshot', (driver, id) => driver.deleteSnapshot(id, 'snap_1')],
  ['restoreSnapshot', (driver, id) => driver.restoreSnapshot(id, 'snap_1')],
  ['rebuild', (driver, id) => driver.rebuild({ ...guestSpec(), id }, 'job_1')],
  ['finishRebuild', (driver, id) => driver.finishRebuild(id, 'job_1')],
  ['undoRebuild', (driver, id) => driver.undoRebuild(id, 'job_1')],
  ['applyNetwork', (driver, id) => driver.applyNetwork(id, RULES)],
];

for (const [name, change] of CHANGES) {
  test(`${name}: a job that the node has lost changes nothing`, async () => {
    const { driver, clock } = simulator(db);
    const id = await booted(driver, clock);
    await driver.authorizeKey(id, KEY);
    const before = await guests();
    await assert.rejects(change(fencedCompute(driver, shut), id), Deposed);
    assert.deepEqual(await guests(), before);
  });
}

test('reads are answered without the fence, and changes pass it first', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock);
  assert.equal((await fencedCompute(driver, shut).inspect(id))?.power, 'running');
  const order: string[] = [];
  const fenced = fencedCompute(driver, async () => {
    order.push((await driver.inspect(id))!.power);
  });
  await fenced.powerOff(id);
  assert.deepEqual([...order, (await driver.inspect(id))?.power], ['running', 'off']);
});
