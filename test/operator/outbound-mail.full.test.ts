import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComputeDriver, NetworkPolicy } from '../../server/compute/driver.ts';
import { Signals } from '../../server/db/signals.ts';
import { createAbsentGateway } from '../../server/gateway/absent.ts';
import { ForwardReconciler } from '../../server/jobs/reconcilers/reconcile-forwards.ts';
import { NetworkReconciler } from '../../server/jobs/reconcilers/reconcile-network.ts';
import { storedVm } from '../billing/support.ts';
import { guestSpec } from '../compute/support.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('an operator opens port 25 of others to the VMs of one account, and closes it again', async (t) => {
  const operator = await startOperator(t);
  const { db, clock, catalog, compute, logger, dataDir, newAccount } = operator;
  const [accountId, stranger] = [await newAccount(), await newAccount('Other Ltd')];
  const made = async (owner: string) => {
    const vm = await storedVm(db, clock, owner);
    await compute.create(guestSpec('web', { id: vm.id }));
    return vm;
  };
  const vms = [await made(accountId), await made(accountId)];
  const other = await made(stranger);
  const applied = new Map<string, NetworkPolicy>();
  const recording = {
    inspect: (id: string) => compute.inspect(id),
    applyNetwork: async (id: string, policy: NetworkPolicy) => void applied.set(id, policy),
  } as ComputeDriver;
  const forwards = new ForwardReconciler({
    db,
    gateway: createAbsentGateway('off'),
    signals: new Signals(),
    clock,
    logger,
  });
  const network = new NetworkReconciler({ db, compute: recording, forwards, catalog, logger });
  /** Returns the result for each VM's port 25 in a round of the reconciler; undefined if there was nothing to do. */
  const round = async () => {
    applied.clear();
    await network.reconcile();
    return [...vms, other].map(({ id }) => applied.has(id) && (applied.get(id)!.smtpOpen ?? 'closed'));
  };
  for (const { id } of [...vms, other]) await network.apply(id);
  assert.deepEqual(
    [...applied.values()].map(({ smtpOpen }) => smtpOpen),
    [undefined, undefined, undefined],
  );

  const ctl = (...args: string[]) => vaubanctl(dataDir, 'account', ...args);
  assert.match((await ctl('show', accountId)).stdout, /^smtp: +closed$/m);
  const opened = await ctl('smtp', accountId, 'open');
  assert.match(opened.stdout, /is open, for running VMs within moments\.$/m, opened.stderr);
  assert.match((await ctl('show', accountId)).stdout, /^smtp: +open$/m);
  assert.deepEqual(await round(), [true, true, false]);
  assert.deepEqual(await round(), [false, false, false]);
  assert.equal((await ctl('smtp', accountId, 'closed')).code, 0);
  assert.deepEqual(await round(), ['closed', 'closed', false]);

  assert.match((await ctl('smtp', accountId, 'ajar')).stderr, /ajar/);
  assert.equal((await ctl('smtp', 'acc_00000000000000000000000000', 'open')).code, 1);
  const reply = await operator.post(`/accounts/${accountId}/smtp`, { open: 'yes' });
  assert.deepEqual([reply.status, reply.json().error.details?.[0]?.field ?? 'open'], [422, 'open']);
  assert.deepEqual(await round(), [false, false, false]);
});
