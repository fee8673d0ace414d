import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Leadership } from '../../server/cluster/leadership.ts';
import { sql } from '../../server/db/database.ts';
import { deleteVmBelongings } from '../../server/db/queries/vms/vm-dependents.ts';
import { EdgeReconciler } from '../../server/shield/reconcile-edge.ts';
import { engine } from '../support/database.ts';
import { openShield, read, rulesOf } from './support.ts';

const BLOCK = { action: 'block', protocol: 'udp', source_ports: ['53'] };

test('the edge is reconciled with the database', async (t) => {
  const shield = await openShield(t);
  const { api, edge, reconciler } = shield;
  const { clock, db, logger, leadership } = api.services;
  const target = await shield.target();
  const add = (port: number, path = target.rules) =>
    api.call('POST', path, { ...BLOCK, source_ports: [`${port}`] });
  const onEdge = async (id = target.id) => (await edge.readRuleCounters([id])).rows.map((row) => row.id);
  const statuses = async () => (await rulesOf(api, target)).map(({ status }) => status);

  await t.test('an edge that fails leaves the rule in error, and the next round repairs it', async () => {
    shield.breakDown('putTarget');
    assert.equal((await add(1)).body.data.status, 'pending');
    await reconciler.idle();
    assert.deepEqual(await statuses(), ['error']);
    await reconciler.reconcile();
    assert.deepEqual(await statuses(), ['error']);
    shield.breakDown();
    await reconciler.reconcile();
    assert.deepEqual(await statuses(), ['active']);
    assert.equal((await onEdge()).length, 1);
  });

  await t.test('a deletion that the edge missed is made up for', async () => {
    const [rule] = await rulesOf(api, target);
    shield.breakDown('putTarget');
    assert.equal((await api.call('DELETE', `${target.rules}/${rule!.id}`)).status, 200);
    await reconciler.idle();
    assert.deepEqual(await onEdge(), [rule!.id]);
    shield.breakDown();
    await reconciler.reconcile();
    assert.deepEqual(await onEdge(), []);
  });

  await t.test('many changes at once are written as few, the last of them last', async () => {
    let writes = 0;
    const { putTarget } = edge;
    edge.putTarget = (wanted) => {
      writes += 1;
      return putTarget.call(edge, wanted);
    };
    const replies = await Promise.all(Array.from({ length: 20 }, (_, port) => add(100 + port)));
    assert.ok(replies.every(({ status }) => status === 200));
    await reconciler.idle();
    edge.putTarget = putTarget;
    assert.equal((await onEdge()).length, 20);
    assert.deepEqual(new Set(await statuses()), new Set(['active']));
    assert.ok(writes <= 20, `${writes} writes`);
  });

  await t.test('a starting service corrects the edge, in any state', async () => {
    await edge.putTarget({ id: 'tgt_stray', ip: '192.0.2.1', family: 4, rules: [] });
    await edge.putTarget({ id: target.id, ip: target.ip, family: 4, rules: [] });
    const restarted = new EdgeReconciler({ db, edge, clock, logger, leadership });
    await restarted.reconcile();
    assert.equal((await onEdge()).length, 20);
    assert.ok(!(await edge.readTotals()).rows.some(({ id }) => id === 'tgt_stray'));
  });

  await t.test(
    "a start records thousands of rules in few transactions, and a customer's change goes between",
    async () => {
      await db.script(`
      insert into shield_targets (id, account_id, tenant_id, ip, mode, created_at)
      select 'tgt_many' || n, account_id, tenant_id, '198.19.0.0'::inet + n, 'always_on', now()
      from shield_targets, generate_series(1, 1200) as n where id = '${target.id}';
      insert into shield_rules (id, account_id, target_id, origin, action, match, fingerprint, priority, enabled,
        status, generation, created_at)
      select 'rul_many' || n || 'x' || k, account_id, 'tgt_many' || n, 'user', 'block', match, 'many' || k, 100, true,
        'pending', 1, now()
      from (select * from shield_rules where target_id = '${target.id}' limit 1) as rule,
        generate_series(1, 1200) as n, generate_series(1, 3) as k`);
      const order: string[] = [];
      const counted = {
        ...db,
        query: db.query.bind(db),
        transaction: ((work) =>
          db.transaction(work).finally(() => order.push('transaction'))) as typeof db.transaction,
      };
      const { putTarget, reconcile } = edge;
      const restarted = new EdgeReconciler({ db: counted, edge, clock, logger, leadership });
      edge.reconcile = async (wanted) => {
        const receipt = await reconcile.call(edge, wanted);
        order.length = 0;
        restarted.kick(target.id);
        return receipt;
      };
      edge.putTarget = (wanted) => {
        order.push('change');
        return putTarget.call(edge, wanted);
      };
      await restarted.reconcile();
      Object.assign(edge, { putTarget, reconcile });
      await reconciler.idle();
      const pending = await db.query(sql`select 1 from shield_rules where status <> 'active'`);
      assert.equal(pending.length, 0);
      assert.ok(order.indexOf('change') <= 1, order.join());
      assert.ok(order.length <= 6, order.join());
      await db.script("delete from shield_targets where id like 'tgt_many%'");
      await reconciler.reconcile();
    },
  );

  await t.test('an edge that was restarted gets everything again', async () => {
    reconciler.noticeEpoch('one');
    await edge.putTarget({ id: target.id, ip: target.ip, family: 4, rules: [] });
    reconciler.noticeEpoch('two');
    shield.breakDown('reconcile');
    await reconciler.reconcile();
    assert.deepEqual(await onEdge(), []);
    shield.breakDown();
    clock.advance(1_000);
    await reconciler.reconcile();
    assert.equal((await onEdge()).length, 20);
  });

  await t.test(
    'an unreachable edge is asked at growing intervals, and costs nothing in between',
    async () => {
      const { reconcile } = edge;
      let attempts = 0;
      edge.reconcile = () => {
        attempts += 1;
        return Promise.reject(new Error('the edge is down'));
      };
      const written = () => db.query(sql`select id, xmin::text from shield_rules order by id`);
      const before = await written();
      reconciler.noticeEpoch('three');
      for (let second = 0; second < 60; second++) {
        clock.advance(1_000);
        await reconciler.reconcile();
      }
      assert.equal(attempts, 6);
      assert.deepEqual(await written(), before, 'no rule is written');
      edge.reconcile = reconcile;
      clock.advance(30_000);
      await reconciler.reconcile();
      assert.equal((await onEdge()).length, 20);
    },
  );

  await t.test(
    'a database that goes away after a kick is a failure that the next round makes up for',
    async () => {
      let isAway = true;
      const unsteady = {
        ...db,
        query: ((statement) =>
          isAway && statement.text.includes('select id, blackholed_until')
            ? Promise.reject(new Error('the database cannot be reached'))
            : db.query(statement)) as typeof db.query,
        transaction: db.transaction.bind(db),
      };
      const kicked = new EdgeReconciler({ db: unsteady, edge, clock, logger, leadership });
      await edge.putTarget({ id: target.id, ip: target.ip, family: 4, rules: [] });
      kicked.noticeEpoch('one');
      kicked.kick(target.id);
      await kicked.idle();
      await assert.rejects(kicked.reconcile(), /cannot be reached/);
      isAway = false;
      await kicked.reconcile();
      assert.equal((await onEdge()).length, 20);
      await kicked.stop();
    },
  );

  await t.test('a target that is off waits with its rules; on again they are in force', async () => {
    await db.query(
      sql`update shield_targets set mode = 'off', generation = generation + 1 where id = ${target.id}`,
    );
    await reconciler.reconcile();
    assert.ok(!(await edge.readTotals()).rows.some(({ id }) => id === target.id));
    assert.deepEqual(new Set(await statuses()), new Set(['pending']));
    await db.query(
      sql`update shield_targets set mode = 'always_on', generation = generation + 1 where id = ${target.id}`,
    );
    await reconciler.reconcile();
    assert.deepEqual(new Set(await statuses()), new Set(['active']));
  });

  await t.test('a VM that is deleted takes its targets along, even from an edge that is away', async () => {
    const doomed = await shield.target();
    const nics = `/v1/vm/${doomed.vm.id}/nics`;
    const [nic] = await read<{ ips: { address: string; shield: object | null }[] }[]>(api, nics);
    assert.deepEqual(
      nic!.ips.map(({ address, shield: place }) => [address === doomed.ip, place]),
      [
        [true, { tenant_id: doomed.tenantId, target_id: doomed.id }],
        [false, null],
      ],
    );
    await shield.pass(3);
    await shield.attack(doomed, 'udp_flood', 500_000, 600);
    await shield.pass(4);
    await db.transaction((tx) => deleteVmBelongings(tx, doomed.vm.id, clock.now()));
    assert.equal((await api.call('GET', doomed.rules)).status, 404);
    assert.deepEqual(await read(api, `${doomed.tenant}/targets`), []);
    shield.breakDown('removeTarget');
    await reconciler.reconcile();
    assert.equal((await onEdge(doomed.id)).length, 1);
    shield.breakDown();
    await reconciler.reconcile();
    assert.deepEqual(await onEdge(doomed.id), []);
    const left = await db.query<{ status: string }>(sql`
      select status from shield_attacks where target_id = ${doomed.id}
      union all select 'a row' from shield_targets where id = ${doomed.id}
      union all select 'a rule' from shield_rules where target_id = ${doomed.id}`);
    assert.deepEqual(left, [{ status: 'ended' }]);
    await shield.pass(3);
  });

  await t.test(
    'one node leads',
    { skip: engine === 'pglite' && 'several nodes need a PostgreSQL' },
    async () => {
      const other = new Leadership(db);
      assert.deepEqual([await leadership.holds(), await other.holds()], [true, false]);
      const idle = new EdgeReconciler({ db, edge, clock, logger, leadership: other });
      shield.breakDown('putTarget');
      await add(9);
      await reconciler.idle();
      shield.breakDown();
      await idle.reconcile();
      assert.ok((await statuses()).includes('error'), 'who does not lead does not write');
      await leadership.leave();
      assert.deepEqual([await other.holds(), await leadership.holds()], [true, false]);
      await idle.reconcile();
      assert.deepEqual(new Set(await statuses()), new Set(['active']));
      await other.leave();
    },
  );

  await t.test('the billing summary names the tenants', async () => {
    const { shield_tenant_ids: ids } = await read<{ shield_tenant_ids: string[] }>(
      api,
      '/v1/billing/summary',
    );
    assert.ok(ids.includes(target.tenantId));
    assert.equal(new Set(ids).size, ids.length);
  });
});
