import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestSpec } from '../compute/support.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('a guest that belongs to no VM is listed, and removed only by the operator', async (t) => {
  const { dataDir, compute } = await startOperator(t);
  const ctl = (...args: string[]) => vaubanctl(dataDir, ...args);
  const spec = guestSpec('web');
  await compute.create(spec);
  const { stdout } = await ctl('orphan', 'list');
  assert.match(stdout, new RegExp(`^${spec.id} +2 vCPU, 2048 MB, 20 GB +192\\.0\\.2\\.10 `, 'm'));
  const asked = await ctl('orphan', 'remove', spec.id);
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /--yes/);
  assert.ok(await compute.inspect(spec.id));
  assert.equal((await ctl('orphan', 'remove', 'vm_other', '--yes')).code, 1);
  const removed = await ctl('orphan', 'remove', spec.id, '--yes');
  assert.deepEqual([removed.code, removed.stdout], [0, `The guest ${spec.id} was removed.\n`]);
  assert.equal(await compute.inspect(spec.id), undefined);
  assert.deepEqual(JSON.parse((await ctl('orphan', 'list', '--json')).stdout), []);
  assert.match((await ctl('log', '--count', '2')).stdout, new RegExp(`POST /orphans/${spec.id}/remove`));
});
