import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { machines, output } from '../support/machines.ts';
import { startRealService } from '../support/real-service.ts';

const CREDIT_MINOR = 10_000;
const PHASES = ['before', 'during', 'after'] as const;

/** Jobs in an order in which each finds what it needs, with their steps and what they make of the VM. */
const JOBS = [
  { kind: 'create', steps: ['create_guest', 'apply_network', 'start_guest'], status: 'running' },
  {
    kind: 'change_plan',
    steps: ['power_off_guest', 'resize_guest', 'power_on_guest'],
    status: 'running',
  },
  { kind: 'snapshot_create', steps: ['create_snapshot'], status: 'running' },
  { kind: 'snapshot_delete', steps: ['delete_snapshot'], status: 'running' },
  { kind: 'delete', steps: ['remove_guest'], status: undefined },
] as const;
type Kind = (typeof JOBS)[number]['kind'];

test('real machines survive what befalls their host', async (t) => {
  const real = await startRealService(t, { VAUBAN_QEMU_NETWORK: 'routed' });
  const { customer } = real;
  const dataDir = real.location.env.VAUBAN_DATA_DIR;
  let vmId = '';
  const at = (path = '') => `/v1/vm/${vmId}${path}`;
  const settled = () => customer.settled(vmId);

  /** The wallet is what was paid in less what was charged, and holds nothing back. */
  const moneyIsRight = async () => {
    const orders: { status: string; amount_minor: number }[] = await customer.ask(
      'GET',
      '/v1/billing/orders?limit=100',
    );
    const paid = orders
      .filter(({ status }) => status === 'completed')
      .reduce((sum, { amount_minor }) => sum + amount_minor, 0);
    const { available_minor, held_minor } = await customer.ask('GET', '/v1/billing/wallet');
    assert.deepEqual([available_minor, held_minor], [CREDIT_MINOR - paid, 0]);
  };
  const create = async () => {
    const { vm } = await customer.ask('POST', '/v1/vm', { plan: 'small', template: 'tiny', hostname: 'web' });
    vmId = vm.id;
  };
  const ask: Record<Kind, () => Promise<unknown>> = {
    create,
    change_plan: async () => {
      const { plan } = await customer.ask('GET', at());
      const other = plan === 'small' ? 'large' : 'small';
      return customer.ask('POST', at('/change-plan'), {
        plan: other,
        allow_reboot: true,
        resize_disk: false,
      });
    },
    snapshot_create: () => customer.ask('POST', at('/snapshots'), {}),
    snapshot_delete: async () => {
      const [snapshot] = await customer.ask('GET', at('/snapshots'));
      return customer.ask('DELETE', at(`/snapshots/${snapshot.id}`));
    },
    delete: () => customer.ask('DELETE', at()),
  };
  /** What an operation needs that is asked for a second and a third time. */
  const prepare: Partial<Record<Kind, () => Promise<unknown>>> = {
    create: async () => {
      if (!vmId) return;
      await ask.delete();
      await settled();
    },
    snapshot_delete: async () => {
      if ((await customer.ask('GET', at('/snapshots'))).length > 0) return;
      await ask.snapshot_create();
      await settled();
    },
    delete: async () => {
      if ((await customer.send('GET', at())).status === 200) return;
      await create();
      await settled();
    },
  };

  for (const { kind, steps, status } of JOBS) {
    for (const step of steps) {
      for (const phase of PHASES) {
        await t.test(`the service is killed ${phase} ${kind}'s ${step}`, async (t) => {
          await prepare[kind]?.();
          await real.doom(`${kind} ${step} ${phase}`);
          // The answer may be cut off; the job is there all the same.
          const before = vmId;
          await ask[kind]().catch(() => {});
          await real.revive();
          if (kind === 'create' && vmId === before) [{ id: vmId }] = await customer.ask('GET', '/v1/vm');
          const vm = await settled();
          assert.equal(vm?.status, status);
          if (vm) assert.equal(vm.last_job.status, 'succeeded', JSON.stringify(vm.last_job));
          assert.equal((await machines(dataDir)).length, vm ? 1 : 0);
          await moneyIsRight();
          t.diagnostic(`${kind} | ${step} | ${phase} | ${vm ? vm.status : 'gone'}, money right`);
        });
      }
    }
  }

  await t.test('QEMU is killed', async (t) => {
    await create();
    await settled();
    const [pid] = await machines(dataDir);
    process.kill(pid!, 'SIGKILL');
    await customer.until(vmId, ({ status }) => status === 'stopped');
    await customer.ask('POST', at('/start'), {});
    assert.equal((await settled()).status, 'running');
    t.diagnostic('QEMU killed | stopped, with an event; starts again');
  });

  await t.test('the tables of the firewall are deleted', async (t) => {
    const rules = async () =>
      (await output('nft', 'list', 'table', 'inet', 'vauban')).match(/counter (in|out)-\S+/g);
    const before = await rules();
    await output('nft', 'delete', 'table', 'inet', 'vauban');
    const began = performance.now();
    while (((await rules().catch(() => [])) ?? []).length < before!.length) await sleep(100);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    t.diagnostic(`tables deleted | made anew by the next reading, ${seconds} s later`);
  });

  await t.test('the pool is full', async (t) => {
    await ask.delete();
    await settled();
    const pool = join(dataDir, 'guests');
    await mkdir(pool, { recursive: true });
    await output('mount', '-t', 'tmpfs', '-o', 'size=4M', 'tmpfs', pool);
    try {
      await writeFile(join(pool, 'filler'), Buffer.alloc(2 ** 22)).catch(() => {});
      const reply = await customer.send('POST', '/v1/vm', {
        body: { plan: 'small', template: 'tiny', hostname: 'full' },
        idempotencyKey: 'the-pool-is-full-1',
      });
      if (reply.status === 200) {
        vmId = reply.json.data.vm.id;
        assert.equal((await settled()).status, 'error');
      } else assert.deepEqual([reply.status, reply.json.error.code], [503, 'capacity_unavailable']);
      await moneyIsRight();
      await rm(join(pool, 'filler'), { force: true });
      assert.deepEqual(await readdir(pool), []);
      t.diagnostic(`pool full | ${reply.status}, nothing left, nothing charged`);
    } finally {
      await output('umount', pool);
    }
  });
});
