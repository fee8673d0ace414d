import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  arrivedAs,
  departingAs,
  type Instance,
  isUnderWay,
  KEYS,
  runOf,
} from '../../../server/compute/incus/instance.ts';
import { kindOfMove } from '../../../server/compute/incus/move.ts';

const RUNNING = 103;
const STOPPED = 102;

function instance(change: Partial<Instance> = {}): Instance {
  return {
    name: 'vm-1',
    status_code: RUNNING,
    location: 'm1',
    type: 'virtual-machine',
    config: {},
    devices: {},
    last_used_at: '2026-03-01T10:00:00Z',
    ...change,
  };
}

test('a guest that was moved live stays in the same run until its next start', () => {
  const before = instance();
  const departing = { ...before, config: departingAs(before) };
  assert.equal(runOf(departing), runOf(before));
  assert.ok(isUnderWay(departing));
  // Incus records the arrival of a moved guest as a start.
  const came = { ...departing, last_used_at: '2026-03-01T11:00:00Z' };
  assert.equal(runOf(came), runOf(before));
  const arrived = { ...came, config: arrivedAs(came)! };
  assert.equal(runOf(arrived), runOf(before));
  assert.ok(!isUnderWay(arrived));
  assert.equal(arrivedAs(arrived), undefined, 'there is nothing left to be kept');
  const again = { ...arrived, config: departingAs(arrived) };
  assert.equal(runOf({ ...again, last_used_at: '2026-03-01T12:00:00Z' }), runOf(before));
  const startedAnew = { ...arrived, last_used_at: '2026-03-02T09:00:00Z' };
  assert.equal(runOf(startedAnew), startedAnew.last_used_at);
  assert.equal(KEYS.run in before.config, false);
});

test('virtual machines that may be moved with their memory are moved as they run', () => {
  const stateful = { 'migration.stateful': 'true' };
  assert.equal(kindOfMove(instance({ expanded_config: stateful })), 'live');
  assert.equal(kindOfMove(instance()), 'cold');
  assert.equal(kindOfMove(instance({ expanded_config: stateful, status_code: STOPPED })), 'cold');
  assert.equal(kindOfMove(instance({ expanded_config: stateful, type: 'container' })), 'cold');
});
