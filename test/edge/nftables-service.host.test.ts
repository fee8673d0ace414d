import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Packet } from '../../server/edge/simulator/packet.ts';
import { startService } from '../support/service.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, JUMBO, whyNot } from './support/network.ts';
import { protect } from './support/protected.ts';

/** Long packets, so that few of them exceed the threshold. */
const AMPLIFIED: Packet = {
  protocol: 17,
  source: '198.51.100.7',
  sourcePort: 53,
  destinationPort: 4_000,
  length: 8_900,
  flags: [],
  fragment: 'none',
};
const THRESHOLD_MBPS = 100;
const MBPS = 400;
/** Four seconds of traffic. */
const PACKETS = 22_000;
const A_FEW = 1_000;

test('a running service stops a flood automatically, and its rule outlives the helper, the tables and the service', {
  skip: whyNot(),
}, async (t) => {
  const network = await EdgeNetwork.open(t, { mtu: JUMBO, devices: 2 });
  await network.pace(MBPS);
  const env = {
    VAUBAN_EDGE: 'nftables',
    VAUBAN_EDGE_HELPER: network.socket,
    VAUBAN_RATE_LIMIT_KEY: '1000000',
    VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
  };
  const service = await startService(t, { env });
  const { customer, ip, targetId, events, rules } = await protect(service, { mbps: THRESHOLD_MBPS });
  const edge = network.client();
  t.after(() => edge.close());
  const totals = async () => (await edge.readTotals()).rows.find(({ id }) => id === targetId)!;
  const flood = async (packets: number) => {
    const started = performance.now();
    await network.paced([frameOf(AMPLIFIED, ip)], packets);
    return (performance.now() - started) / 1000;
  };
  /** Sends a few packets of the flood and returns how many pass, once all have arrived at the edge. */
  const leaked = async () => {
    const before = await totals();
    await flood(A_FEW);
    for (;;) {
      const { in: all, passed } = await totals();
      if (all.packets - before.in.packets === A_FEW) return passed.packets - before.passed.packets;
    }
  };
  const seconds = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

  const took = await flood(PACKETS);
  const { in: all, passed } = await totals();
  assert.equal(all.packets, PACKETS);
  assert.ok(passed.packets < PACKETS, 'nothing was dropped');
  const [attack, ...others] = await customer.ask('GET', events);
  assert.deepEqual(others, []);
  assert.deepEqual([attack.status, attack.vectors], ['ongoing', ['dns_amplification']]);
  const [rule] = await customer.ask('GET', rules);
  assert.deepEqual([rule.origin, rule.status, rule.source_ports], ['automatic', 'active', ['53']]);
  // The packets arrive evenly, so the share that passed is the share of the time.
  const untilDropped = (took * passed.packets) / PACKETS;
  t.diagnostic(
    `${Math.round(PACKETS / took)} packets/s: the first was dropped ${untilDropped.toFixed(2)} s after the first came in, ` +
      `${passed.packets} of ${PACKETS} passed; event to mitigation ${seconds(attack.started_at, attack.mitigated_at)} s`,
  );

  await network.stopHelper('SIGKILL');
  await flood(A_FEW);
  await network.startHelper();
  assert.equal(await leaked(), 0, 'while the helper was dead, and after');
  assert.equal((await totals()).passed.packets, passed.packets);

  await network.edge.run('nft', 'flush', 'ruleset');
  const gone = performance.now();
  const table = () => network.edge.run('nft', 'list', 'table', 'netdev', 'vauban-edge').catch(() => '');
  while (!(await table()).includes('sport 53'));
  t.diagnostic(`all tables deleted: whole again after ${Math.round(performance.now() - gone)} ms`);
  assert.equal(await leaked(), 0, 'after the tables were deleted');

  await service.stop();
  assert.equal(await leaked(), 0, 'while the service was away');

  const next = await startService(t, {
    location: service.location,
    env,
    entry: 'test/edge/support/hasty-service.ts',
  });
  customer.target = next;
  const latest = async () => (await customer.ask('GET', events))[0];
  assert.equal((await latest()).id, attack.id);
  const laterBy = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) process.kill(next.pid, 'SIGUSR2');
  };
  // The minute of quiet begins only after the detector has seen quiet traffic.
  for (; (await latest()).status === 'ongoing'; await sleep(300)) laterBy(1);
  const over = await latest();
  assert.equal(over.id, attack.id);
  assert.ok(over.dropped_packets >= PACKETS - passed.packets);
  t.diagnostic(
    `the event by the API: ${over.started_at}, mitigated ${over.mitigated_at}, ended ${over.ended_at}`,
  );
  for (; (await customer.ask('GET', rules)).length > 0; await sleep(300)) laterBy(2);
  while ((await table()).includes('sport 53'));
  assert.equal(await leaked(), A_FEW, 'it is over: what looks like it passes again');
});
