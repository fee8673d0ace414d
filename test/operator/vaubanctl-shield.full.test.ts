import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCatalog } from '../../server/domain/catalog/load-catalog.ts';
import { findRegion } from '../../server/domain/catalog/lookup.ts';
import { allocateAddresses, ensureRegionPools } from '../../server/domain/network/allocate.ts';
import { storedVm } from '../billing/support.ts';
import { startOperator, UNKNOWN_ACCOUNT } from './support.ts';
import { REPOSITORY, vaubanctl } from './vaubanctl.ts';

const catalog = loadCatalog(join(REPOSITORY, 'catalog.yaml'));

test('tenants, targets and attacks, over the real socket', async (t) => {
  const operator = await startOperator(t);
  const { db, clock, dataDir, edge, shield } = operator;
  const ctl = (...args: string[]) => vaubanctl(dataDir, ...args);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await ctl(...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const refused = async (message: RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await ctl(...args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [1, '']);
  };
  const account = await operator.newAccount();
  const vm = await storedVm(db, clock, account);
  const region = findRegion(catalog, vm.region)!;
  await ensureRegionPools(db, catalog);
  const { ipv4, ipv6 } = await db.transaction((tx) =>
    allocateAddresses(tx, catalog, region, vm.id, clock.now()),
  );

  const tenant = await json('tenant', 'create', account, '--name', 'Example Ltd');
  assert.match(tenant.id, /^ten_/);
  await refused(/does not exist/, 'tenant', 'create', UNKNOWN_ACCOUNT, '--name', 'x');
  await refused(/^vaubanctl: name: /, 'tenant', 'create', account, '--name', ' ');
  assert.deepEqual(await json('tenant', 'list'), [tenant]);

  await t.test('targets', async () => {
    const target = await json('target', 'add', tenant.id, ipv4);
    assert.deepEqual([target.ip, target.vm_id, target.mode], [ipv4, vm.id, 'always_on']);
    await refused(/^vaubanctl: ip: .*is already a target/, 'target', 'add', tenant.id, ipv4);
    for (const foreign of ['192.0.2.1', '2001:db8::1']) {
      await refused(
        /^vaubanctl: ip: must be an address of one of the account's VMs/,
        'target',
        'add',
        tenant.id,
        foreign,
      );
    }
    await refused(/^vaubanctl: ip: must be an IPv4 or IPv6 address/, 'target', 'add', tenant.id, 'web-1');
    await refused(/^vaubanctl: mode: must be one of/, 'target', 'add', tenant.id, ipv6, '--mode', 'on');
    const stranger = await json('tenant', 'create', await operator.newAccount(), '--name', 'other');
    await refused(/^vaubanctl: ip: must be an address of one/, 'target', 'add', stranger.id, ipv6);

    await shield.idle();
    const shown = await ctl('tenant', 'show', tenant.id);
    assert.match(
      shown.stdout,
      new RegExp(`^${target.id} +${ipv4} .* always_on +clean +0 +in force +never$`, 'm'),
    );
    const changed = await json('target', 'mode', target.id, 'off');
    assert.equal(changed.mode, 'off');
    await refused(/^vaubanctl: mode: must be one of/, 'target', 'mode', target.id, 'on');
    await shield.idle();
    assert.match((await ctl('target', 'list', tenant.id)).stdout, / off +clean +0 +off +never$/m);
    assert.deepEqual((await edge.readTotals()).rows, []);

    assert.equal((await ctl('target', 'remove', target.id)).stdout, `Target ${target.id} was removed.\n`);
    await shield.idle();
    await refused(/does not exist/, 'target', 'remove', target.id);
    assert.deepEqual(await json('target', 'list', tenant.id), []);
    assert.match(
      (await ctl('target', 'add', tenant.id, ipv4)).stdout,
      /^address: +\S+$/m,
      'it may come back',
    );
  });

  await t.test('the reports of FastNetMon', async () => {
    const report = (...args: string[]) => ctl('shield', 'fastnetmon', ...args);
    assert.match(
      (await report(ipv4, 'incoming', '98350', 'ban')).stdout,
      /^atk_\S+ on \S+: 98350 packets per second\.$/m,
    );
    const [attack] = await json('shield', 'attacks', '--ongoing');
    assert.deepEqual([attack.ip, attack.peak_pps], [ipv4, 98_350]);
    assert.match((await report(ipv4, 'incoming', '98350', 'unban')).stdout, /^atk_\S+ on \S+ is over\.$/m);
    assert.deepEqual(await json('shield', 'attacks', '--ongoing'), []);
    assert.match((await report(ipv4, 'outgoing', '98350', 'ban')).stdout, /not handled by the Shield/);
    assert.match((await report(ipv4, 'incoming', '1', 'unban')).stdout, /No attack was reported/);
    await refused(
      /ip: is not a protected address/,
      'shield',
      'fastnetmon',
      '192.0.2.77',
      'incoming',
      '1',
      'ban',
    );
    await refused(/ip: must be an IPv4 or IPv6/, 'shield', 'fastnetmon', 'web-1', 'incoming', '1', 'ban');
    await refused(/neither ban/, 'shield', 'fastnetmon', ipv4, 'incoming', '1', 'panic');
    await refused(
      /^vaubanctl: seconds: /,
      'shield',
      'fastnetmon',
      ipv4,
      'incoming',
      '1',
      'ban',
      '--seconds',
      '0',
    );
  });

  await t.test('thresholds', async () => {
    const [target] = await json('target', 'list', tenant.id);
    const threshold = (...args: string[]) => ['target', 'threshold', target.id, ...args];
    assert.deepEqual(target.threshold, { pps: null, bps: null });
    const set = await json(...threshold('--pps', '20000', '--mbps', '200'));
    assert.deepEqual(set.threshold, { pps: 20_000, bps: 200_000_000 });
    assert.match((await ctl(...threshold('--mbps', '50'))).stdout, /^threshold: +50 Mbit\/s$/m);
    await refused(/^vaubanctl: pps: /, ...threshold('--pps', '0'));
    await refused(/name --pps, --mbps or both/, ...threshold());
    await refused(/name --pps, --mbps or both/, ...threshold('--pps', '1', '--learnt'));
    await refused(/does not exist/, 'target', 'threshold', 'tgt_none', '--learnt');
    assert.match((await ctl(...threshold('--learnt'))).stdout, /^threshold: +learnt$/m);
  });

  await t.test('a blackhole ends automatically', async () => {
    const [target] = await json('target', 'list', tenant.id);
    const blackhole = (...args: string[]) => ['target', 'blackhole', target.id, ...args];
    const isDropped = async () => {
      await shield.reconcile();
      const passed = async () => {
        clock.advance(1_000);
        return (await edge.readTotals()).rows.find(({ id }) => id === target.id)!.passed.packets;
      };
      const before = await passed();
      return (await passed()) === before;
    };
    assert.equal(await isDropped(), false);
    const { blackholed_until: until } = await json(...blackhole('--minutes', '30'));
    assert.equal(Date.parse(until), clock.now().getTime() + 30 * 60_000);
    assert.equal(await isDropped(), true);
    clock.advance(30 * 60_000);
    assert.equal(await isDropped(), false);
    assert.equal((await json('target', 'list', tenant.id))[0].blackholed_until, null);
    assert.match((await ctl(...blackhole('--minutes', '5'))).stdout, /^blackholed until: +\S+/m);
    assert.equal(await isDropped(), true);
    await ctl(...blackhole('--end'));
    assert.equal(await isDropped(), false);
    await refused(/^vaubanctl: minutes: /, ...blackhole('--minutes', '1441'));
    await refused(/name --minutes or --end/, ...blackhole());
    await refused(/does not exist/, 'target', 'blackhole', 'tgt_none', '--end');
  });

  await t.test('an address that the edge cannot have', async () => {
    const { capabilities } = edge;
    edge.capabilities = () => ({ ...capabilities(), prefixes: ['192.0.2.0/24'] });
    const message = /^vaubanctl: ip: is not in any network that the edge protects/;
    await refused(message, 'target', 'add', tenant.id, ipv6);
    const off = await json('target', 'add', tenant.id, ipv6, '--mode', 'off');
    await refused(message, 'target', 'mode', off.id, 'always_on');
    edge.capabilities = capabilities;
    await json('target', 'remove', off.id);
    await shield.idle();
  });

  await t.test('attacks', async () => {
    const { putTarget } = edge;
    edge.putTarget = async (target) => {
      await sleep(500);
      return putTarget.call(edge, target);
    };
    // The target is still being sent to a slow edge: the attack waits for it.
    const target = await json('target', 'add', tenant.id, ipv6, '--mode', 'sensor');
    const attack = ['shield', 'attack', target.id, '--vector', 'udp_flood', '--seconds', '10'];
    const begun = await ctl(...attack, '--pps', '1000');
    assert.equal(begun.stdout, `udp_flood of 1000 packets per second on ${target.id} for 10 s.\n`);
    edge.putTarget = putTarget;
    clock.advance(5_000);
    const { rows } = await edge.readTotals();
    assert.ok(rows.find(({ id }) => id === target.id)!.in.packets >= 5_000);
    await refused(/whole number/, ...attack, '--pps', 'many');
    await refused(/^vaubanctl: pps: /, ...attack, '--pps', '0');
    await refused(/^vaubanctl: vector: must be one of/, ...attack.with(4, 'ping_of_death'), '--pps', '1');
    assert.equal((await ctl('shield', 'stop', target.id)).stdout, 'Attacks ended: 1.\n');
    assert.equal((await ctl('shield', 'stop', target.id)).stdout, 'Attacks ended: 0.\n');
    await refused(/does not exist/, ...attack.with(2, 'tgt_none'), '--pps', '1');

    Object.defineProperty(edge, 'attacks', { value: undefined });
    const real = /^vaubanctl: Attacks can only be simulated on the simulated edge/;
    await refused(real, ...attack, '--pps', '1000');
    await refused(real, 'shield', 'stop', target.id);
  });
});
