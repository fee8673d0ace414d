import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type AttackReport,
  endReportedAttack,
  lookAfterReports,
  reportAttack,
} from '../../server/shield/report.ts';
import { readDetails } from '../../vaubanctl/fastnetmon.ts';
import { attacksOn, openShield, rulesOf } from './support.ts';

const SECOND = 1000;
const BAN_SECONDS = 1_900;

const ofUdp = (ip: string, over: Partial<AttackReport> = {}): AttackReport => ({
  ip,
  rate: { pps: 100_000, bps: 400_000_000 },
  classes: { udp: { packets: 100_000, bytes: 50_000_000 } },
  ports: [],
  seconds: BAN_SECONDS,
  ...over,
});

test("FastNetMon's reports in words are read, and anything else is ignored", async () => {
  const details = await readFile(join(import.meta.dirname, 'fastnetmon-details.txt'), 'utf8');
  assert.deepEqual(readDetails(details), {
    bps: 6_000_000,
    classes: [{ class: 'udp', packets: 9_835, bytes: 750_000 }],
    ports: [{ protocol: 'udp', port: 53, packets: 1, bytes: 87 }],
  });
  const nothing = { bps: 0, classes: [], ports: [] };
  for (const text of ['', 'Incoming udp pps: many', `Incoming udp pps: ${'9'.repeat(100)}`])
    assert.deepEqual(readDetails(text), nothing, text);
});

test('reports of other programs', async (t) => {
  const shield = await openShield(t);
  const { api, edge } = shield;
  const { db, clock, services } = { ...api.services, services: api.services };
  const parts = { db, clock, edge, shield: services.shield };
  const report = async (one: AttackReport) => {
    const id = await reportAttack(parts, one);
    await shield.reconciler.idle();
    return id;
  };

  await t.test('one is an attack with rules until it is ended', async () => {
    const target = await shield.target();
    const id = await report(ofUdp(target.ip));
    const [attack] = await attacksOn(api, target);
    assert.deepEqual([attack!.id, attack!.status, attack!.vectors], [id, 'ongoing', ['udp_flood']]);
    assert.match(attack!.reason, /^Reported: 100000 packets\/s \(threshold 40000\)/);
    assert.equal(attack!.started_at, clock.now().toISOString());
    assert.ok(attack!.mitigated_at, 'as its rule is in force');
    const [rule] = await rulesOf(api, target);
    assert.deepEqual([rule!.origin, rule!.protocol, rule!.status], ['automatic', 'udp', 'active']);

    // Details that arrive a second later are added to it and reveal its source.
    clock.advance(SECOND);
    const port = { protocol: 'udp', port: 53, packets: 20, bytes: 28_000 } as const;
    assert.equal(await report(ofUdp(target.ip, { rate: { pps: 120_000, bps: 300 }, ports: [port] })), id);
    const [joined, ...others] = await attacksOn(api, target);
    assert.deepEqual(others, []);
    assert.deepEqual(new Set(joined!.vectors), new Set(['udp_flood', 'dns_amplification']));
    assert.deepEqual([joined!.peak_pps.value, joined!.peak_bps.value], [120_000, 400_000_000]);
    assert.ok((await rulesOf(api, target)).some(({ source_ports }) => source_ports[0] === '53'));

    // The edge does not see the attack, so it neither ends it nor removes its rules.
    for (let minute = 0; minute < 25; minute++) {
      clock.advance(60 * SECOND);
      await lookAfterReports(parts);
      await shield.look();
    }
    assert.equal((await attacksOn(api, target))[0]!.status, 'ongoing');
    assert.equal((await rulesOf(api, target)).length, 2);

    assert.equal(await endReportedAttack(parts, target.ip), id);
    const [over] = await attacksOn(api, target);
    assert.deepEqual([over!.status, over!.ended_at], ['ended', clock.now().toISOString()]);
    assert.equal(await endReportedAttack(parts, target.ip), null, 'again');
  });

  await t.test(
    'one that joins an attack which the edge sees as well is not forgotten at the next look',
    async () => {
      const target = await shield.target();
      await shield.pass(3);
      await shield.attack(target, 'udp_flood', 100_000, 60);
      await shield.pass(3);
      const [seen] = await attacksOn(api, target);
      assert.deepEqual(seen!.vectors, ['udp_flood']);
      const classes = { icmp: { packets: 500_000, bytes: 50_000_000 } };
      assert.equal(await report(ofUdp(target.ip, { rate: { pps: 500_000, bps: 9e9 }, classes })), seen!.id);
      await shield.pass(2);
      const [both] = await attacksOn(api, target);
      assert.deepEqual(new Set(both!.vectors), new Set(['udp_flood', 'icmp_flood']));
      assert.deepEqual([both!.peak_pps.value, both!.peak_bps.value], [500_000, 9e9]);
      await endReportedAttack(parts, target.ip);
    },
  );

  await t.test('one that is never ended runs out', async () => {
    const target = await shield.target();
    const from = clock.now().getTime();
    await report(ofUdp(target.ip, { seconds: 30 }));
    clock.advance(29 * SECOND);
    await lookAfterReports(parts);
    assert.equal((await attacksOn(api, target))[0]!.status, 'ongoing');
    clock.advance(10 * SECOND);
    await lookAfterReports(parts);
    const [over] = await attacksOn(api, target);
    assert.deepEqual([over!.status, over!.ended_at], ['ended', new Date(from + 30 * SECOND).toISOString()]);
  });

  await t.test('the mode decides the response, and an unprotected address is refused', async () => {
    const sensor = await shield.target({ mode: 'sensor' });
    await report(ofUdp(sensor.ip));
    assert.equal((await attacksOn(api, sensor)).length, 1);
    assert.deepEqual(await rulesOf(api, sensor), []);
    const off = await shield.target({ mode: 'off' });
    await assert.rejects(report(ofUdp(off.ip)), { code: 'invalid_state' });
    assert.deepEqual(await attacksOn(api, off), []);
    await assert.rejects(report(ofUdp('192.0.2.77')), { code: 'validation_failed' });
    assert.equal(await endReportedAttack(parts, '192.0.2.77'), null);
  });

  await t.test('a report without a vector is an attack without a rule', async () => {
    const target = await shield.target();
    await report(ofUdp(target.ip, { classes: {} }));
    const [attack] = await attacksOn(api, target);
    assert.deepEqual([attack!.vectors, attack!.mitigated_at], [[], null]);
    assert.deepEqual(await rulesOf(api, target), []);
  });

  await t.test('one that the edge notices too is one attack, and lasts while either says so', async () => {
    const target = await shield.target();
    await shield.pass(3);
    const id = await report(ofUdp(target.ip, { seconds: 300 }));
    await shield.attack(target, 'syn_flood', 200_000, 10);
    await shield.pass(3);
    const [attack, ...others] = await attacksOn(api, target);
    assert.deepEqual(others, []);
    assert.equal(attack!.id, id);
    assert.deepEqual(attack!.vectors, ['udp_flood', 'syn_flood']);
    clock.advance(60 * SECOND);
    await shield.pass(2);
    clock.advance(61 * SECOND);
    await shield.pass(2);
    assert.equal(
      (await attacksOn(api, target))[0]!.status,
      'ongoing',
      'quiet here for a minute, but reported',
    );
    clock.advance(200 * SECOND);
    await lookAfterReports(parts);
    assert.equal((await attacksOn(api, target))[0]!.status, 'ended');
  });
});
