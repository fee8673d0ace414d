import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CapacityError } from '../../../server/compute/driver.ts';
import { IncusError } from '../../../server/compute/incus/client.ts';
import { asCapacity, converge } from '../../../server/compute/incus/converge.ts';
import { ManualClock } from '../../../server/platform/clock.ts';

/** Messages of Incus 6.0, for each kind of pool. */
const FULL = [
  'Failed creating instance from image: Unable to unpack image, run out of disk space',
  "Failed creating instance from image: Unable to unpack image, run out of disk space (consider increasing your pool's volume.size)",
  'Create instance snapshot: write /var/lib/incus/storage-pools/default/containers/vm/backup.yaml: no space left on device',
  'Failed to run: rsync: exit status 11 (rsync: [receiver] write failed on "root.img": No space left on device (28))',
  'Failed to run: zfs snapshot tank/vm@snap: cannot create snapshot: disk quota exceeded',
];

test("Incus's message for missing space is recognised, and no other is", () => {
  for (const message of FULL)
    assert.ok(asCapacity(new IncusError(400, message)) instanceof CapacityError, message);
  const other = new IncusError(400, 'Instance is protected');
  assert.equal(asCapacity(other), other);
  const ours = new Error('no space left on device');
  assert.equal(asCapacity(ours), ours, 'this machine has no say in it');
});

test('a step may take longer than a refusal that passes is waited for', async () => {
  const clock = new ManualClock(new Date(0));
  let isMoved = false;
  const there = await converge(clock, {
    look: async () => isMoved,
    isDone: Boolean,
    step: async () => {
      clock.advance(3_600_000);
      isMoved = true;
    },
  });
  assert.equal(there, true);
});

test('an operation that is undone repeatedly is given up', async () => {
  const clock = new ManualClock(new Date(0));
  const way = { look: async () => false, isDone: Boolean, step: async () => clock.advance(20_000) };
  await assert.rejects(converge(clock, way), /undone repeatedly/);
});

test('a move that ends between the look and the next request is done', async () => {
  const clock = new ManualClock(new Date(0));
  let looks = 0;
  const there = converge(clock, {
    look: async () => ++looks > 1,
    isDone: Boolean,
    step: async () => {
      throw new IncusError(400, 'Requested target server is the same as current server');
    },
  });
  while (clock.sleeping === 0) await new Promise(setImmediate);
  clock.advance(1_000);
  assert.equal(await there, true);
});
