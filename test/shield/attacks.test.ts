import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { systemLockTarget } from '../../server/db/queries/shield/shield-targets.ts';
import { changeMode } from '../../server/shield/target.ts';
import { attacksOn, openShield, read, rulesOf } from './support.ts';

const SECOND = 1000;

test('attacks', async (t) => {
  const shield = await openShield(t);
  const { api, edge } = shield;
  const { clock, db } = api.services;
  const statusOf = async (target: { tenant: string; id: string }) =>
    (await read<{ id: string; status: string }[]>(api, `${target.tenant}/targets`)).find(
      ({ id }) => id === target.id,
    )!.status;

  await t.test('one, from its first packet to the end of its rules', async () => {
    const target = await shield.target();
    await shield.pass(5);
    assert.equal(await statusOf(target), 'clean');
    const before = clock.now();
    await shield.attack(target, 'dns_amplification', 300_000, 120);
    await shield.pass(1);
    assert.equal(await statusOf(target), 'under_attack');
    await shield.pass(2);
    assert.equal(await statusOf(target), 'mitigating');

    const [ongoing] = await attacksOn(api, target);
    assert.deepEqual(ongoing!.vectors, ['dns_amplification', 'fragment_flood']);
    assert.deepEqual([ongoing!.status, ongoing!.severity, ongoing!.ended_at], ['ongoing', 'medium', null]);
    assert.equal(ongoing!.started_at, before.toISOString(), 'the last look at which nothing was unusual');
    assert.match(ongoing!.reason, /^\d+ packets\/s \(threshold 40000\) and \d+ Mbit\/s/);
    assert.ok(ongoing!.peak_pps.value > 299_000 && ongoing!.peak_pps.value < 310_000);

    const rules = (await rulesOf(api, target)).sort((a, b) => a.fragments.localeCompare(b.fragments));
    assert.deepEqual(
      rules.map(({ origin, priority, status }) => [origin, priority, status]),
      [
        ['automatic', 900, 'active'],
        ['automatic', 900, 'active'],
      ],
    );
    const [dns, fragments] = rules;
    assert.deepEqual([dns!.action, dns!.source_ports], ['block', ['53']]);
    assert.deepEqual([fragments!.action, fragments!.fragments], ['rate_limit', 'only']);
    const summary = await read<Record<string, unknown>>(api, `${target.tenant}/summary`);
    assert.equal(summary.status, 'under_attack');
    assert.equal(summary.active_attacks, 1);

    clock.advance(115 * SECOND);
    await shield.pass(3);
    clock.advance(58 * SECOND);
    await shield.pass(2);
    const [over, ...others] = await attacksOn(api, target);
    assert.deepEqual(others, []);
    assert.equal(over!.status, 'ended');
    assert.equal(over!.ended_at, new Date(before.getTime() + 121 * SECOND).toISOString());
    assert.equal(over!.duration_seconds, 121);
    assert.ok(Number(over!.dropped_packets) > 115 * 299_000);
    assert.equal(await statusOf(target), 'clean');
    assert.equal((await rulesOf(api, target)).length, 2, 'rules outlive the attack: it may come back');
    clock.advance(600 * SECOND);
    assert.deepEqual(await rulesOf(api, target), [], 'what has expired is not shown, noticed or not');
    await shield.reconciler.reconcile();
    assert.deepEqual((await edge.readRuleCounters([target.id])).rows, []);
  });

  await t.test('a second wave and a new vector join it', async () => {
    const target = await shield.target();
    await shield.pass(3);
    await shield.attack(target, 'syn_flood', 200_000, 30);
    await shield.pass(3);
    clock.advance(45 * SECOND);
    await shield.pass(2);
    await shield.attack(target, 'ntp_amplification', 400_000, 20);
    await shield.pass(10);
    const [attack, ...others] = await attacksOn(api, target);
    assert.deepEqual(others, []);
    assert.deepEqual(attack!.vectors, ['syn_flood', 'ntp_amplification']);
    clock.advance(20 * SECOND);
    await shield.pass(2);
    clock.advance(60 * SECOND);
    await shield.pass(2);
    assert.equal((await attacksOn(api, target))[0]!.status, 'ended');
    await shield.attack(target, 'udp_flood', 200_000, 10);
    await shield.pass(3);
    assert.equal((await attacksOn(api, target)).length, 2, 'after a minute of quiet it is another one');
    const [newest] = await attacksOn(api, target);
    const query = (text: string) => read<{ id: string }[]>(api, `${target.events}?${text}`);
    assert.deepEqual(
      (await query('status=ongoing')).map(({ id }) => id),
      [newest!.id],
    );
    assert.equal((await query(`to=${newest!.started_at}`)).length, 1);
    assert.equal((await query(`from=${newest!.started_at}`)).length, 1);
  });

  await t.test('automatic rules live as long as their attack', async () => {
    const target = await shield.target();
    await shield.pass(3);
    await shield.attack(target, 'udp_flood', 500_000, 1_200);
    await shield.pass(5);
    const [first] = await rulesOf(api, target);
    for (let minute = 0; minute < 15; minute++) {
      clock.advance(59 * SECOND);
      await shield.pass(1);
    }
    const [same] = await rulesOf(api, target);
    assert.equal(same!.id, first!.id);
    assert.ok(Date.parse(same!.expires_at!) > clock.now().getTime() + 60 * SECOND);
    await edge.attacks!.stop(target.id);
  });

  await t.test('a sensor only watches, and a target in mode off is not watched', async () => {
    const sensor = await shield.target({ mode: 'sensor' });
    const off = await shield.target({ mode: 'off' });
    await assert.rejects(shield.attack(off, 'udp_flood', 200_000, 60), /no target/);
    await shield.pass(3);
    await shield.attack(sensor, 'udp_flood', 200_000, 30);
    await shield.pass(10);
    const [attack] = await attacksOn(api, sensor);
    assert.deepEqual([attack!.vectors, attack!.mitigated_at], [['udp_flood'], null]);
    assert.deepEqual(await rulesOf(api, sensor), []);
    assert.equal(await statusOf(sensor), 'under_attack');
    assert.deepEqual(await attacksOn(api, off), []);
  });

  await t.test('a mode that changes in mid-attack', async () => {
    const target = await shield.target();
    const mode = (name: 'always_on' | 'sensor' | 'off') =>
      db.transaction(async (tx) =>
        changeMode(tx, (await systemLockTarget(tx, target.id))!, name, clock.now()),
      );
    await shield.pass(3);
    await shield.attack(target, 'udp_flood', 200_000, 300);
    await shield.pass(5);
    assert.equal((await rulesOf(api, target)).length, 1);
    await mode('sensor');
    await shield.pass(2);
    assert.deepEqual(await rulesOf(api, target), []);
    await mode('off');
    await shield.pass(2);
    assert.equal((await attacksOn(api, target))[0]!.status, 'ended');
    assert.ok(!(await edge.readTotals()).rows.some(({ id }) => id === target.id));
  });

  await t.test("traffic that a customer's rule drops needs no automatic rule", async () => {
    const target = await shield.target();
    const own = { action: 'rate_limit', protocol: 'udp', rate: { pps: 1_000 } };
    assert.equal((await api.call('POST', target.rules, own)).status, 200);
    await shield.pass(3);
    await shield.attack(target, 'udp_flood', 500_000, 30);
    await shield.pass(6);
    const [attack] = await attacksOn(api, target);
    assert.ok(attack!.mitigated_at);
    assert.deepEqual(
      (await rulesOf(api, target)).map(({ origin }) => origin),
      ['user'],
    );
  });

  await t.test(
    'a target that is full gets no rule, and its attack says that it is not mitigated',
    async () => {
      const target = await shield.target();
      for (let port = 1; port <= 50; port++) {
        const body = { action: 'block', protocol: 'tcp', source_ports: [`${port}`] };
        assert.equal((await api.call('POST', target.rules, body)).status, 200);
      }
      await shield.pass(3);
      await shield.attack(target, 'udp_flood', 500_000, 20);
      await shield.pass(6);
      const [attack] = await attacksOn(api, target);
      assert.deepEqual([attack!.status, attack!.mitigated_at], ['ongoing', null]);
      const { body } = await api.call('GET', `${target.rules}?limit=100`);
      assert.ok(body.data.every(({ origin }: { origin: string }) => origin === 'user'));
    },
  );

  await t.test('a restarted detector continues with the last baseline', async () => {
    const target = await shield.target();
    await shield.pass(5);
    // Long enough for the baseline to be saved.
    clock.advance(60 * SECOND);
    await shield.pass(2);
    await shield.attack(target, 'syn_flood', 200_000, 60);
    await shield.pass(10);
    shield.restartDetector();
    await shield.pass(40);
    const [attack, ...others] = await attacksOn(api, target);
    assert.deepEqual(others, []);
    assert.equal(attack!.status, 'ongoing');
    clock.advance(15 * SECOND);
    await shield.pass(2);
    clock.advance(60 * SECOND);
    await shield.pass(2);
    assert.equal((await attacksOn(api, target))[0]!.status, 'ended');
    const [row] = await db.query<{ baseline_pps: number }>(
      sql`select baseline_pps from shield_targets where id = ${target.id}`,
    );
    assert.ok(row!.baseline_pps > 10 && row!.baseline_pps < 6_000, `${row!.baseline_pps}`);
  });
});
