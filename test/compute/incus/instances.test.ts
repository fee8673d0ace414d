import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGuest } from '../../../server/compute/incus/instance.ts';
import { Instances } from '../../../server/compute/incus/instances.ts';
import type { Members } from '../../../server/compute/incus/members.ts';

test('an instance that is just being removed is listed bare, and does not hide the others', async () => {
  const whole = { name: 'vm-1', location: 'm1', config: { 'user.vauban.id': 'vm_1' }, devices: {} };
  const bare = { name: 'vm-2', location: 'm1', config: null, devices: null };
  const members = { any: async () => ({ type: 'sync', metadata: [bare, whole] }) } as unknown as Members;
  const listed = await new Instances(members, 'default').listWithState();
  assert.deepEqual(
    listed.map((each) => [each.name, isGuest(each)]),
    [
      ['vm-2', false],
      ['vm-1', true],
    ],
  );
});
