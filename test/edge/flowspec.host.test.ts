import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { blocks, limits } from '../../server/edge/contract-harness.ts';
import type { EdgeTarget } from '../../server/edge/driver.ts';
import type { FlowspecEdge } from '../../server/edge/flowspec/flowspec.ts';
import { Gobgp } from '../../server/edge/flowspec/gobgp.ts';
import type { Packet } from '../../server/edge/simulator/packet.ts';
import { newCustomer, operate } from '../chaos/support/customer.ts';
import { startService } from '../support/service.ts';
import { frameOf, lengthsOf } from './support/frames.ts';
import { EdgeNetwork } from './support/network.ts';
import { anyPacket, anyRule, reference } from './support/oracle.ts';
import { protect } from './support/protected.ts';
import { TestRouter, whyNoRouter } from './support/router.ts';

const skip = whyNoRouter();
const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const clean of cleanups.reverse()) await clean();
});
let opened: Promise<{ network: EdgeNetwork; router: TestRouter }> | undefined;

/** One network for all tests: starting a BGP session takes seconds. */
async function open(): Promise<{ network: EdgeNetwork; router: TestRouter }> {
  const lifetime = { after: (clean: unknown) => void cleanups.push(clean as never) };
  opened ??= (async () => {
    const network = await EdgeNetwork.open(lifetime);
    const router = await TestRouter.open(lifetime, network);
    await router.connected();
    return { network, router };
  })();
  return opened;
}

function edgeOf(t: TestContext, router: TestRouter, over = {}): FlowspecEdge {
  const edge = router.edge(over);
  t.after(async () => {
    await edge.reconcile([]);
    await edge.close();
  });
  return edge;
}

const dns = (ip: string) =>
  frameOf(
    {
      protocol: 17,
      source: '198.51.100.7',
      sourcePort: 53,
      destinationPort: 4_000,
      length: 700,
      flags: [],
      fragment: 'none',
    },
    ip,
  );
const TARGET: EdgeTarget = { id: 'tgt_1', ip: '203.0.113.20', family: 4, rules: [] };
const BLOCK = blocks('rul_dns', { protocol: 'udp', sourcePorts: ['53'] });
const A_FEW = 50;

test('routers drop the same packets as a plain evaluation of the rules, for random rules and packets', {
  skip,
}, async (t) => {
  const { network, router } = await open();
  const edge = edgeOf(t, router);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const lists = fc.sample(fc.array(anyRule, { minLength: 1, maxLength: 4 }), { seed, numRuns: 80 });
  const packets = fc.sample(anyPacket, { seed, numRuns: 80 * 30 });
  const cases = lists.map((list, index) => {
    const family = index % 4 === 3 ? (6 as const) : (4 as const);
    const ip = family === 4 ? `100.64.0.${index + 1}` : `2001:db8:b::${(index + 64).toString(16)}`;
    const sent = packets.splice(0, 30).flatMap((packet): Packet[] => {
      const isOfFamily = packet.source.includes(':') === (family === 6);
      if (!isOfFamily || (family === 6 && packet.protocol === 51)) return [];
      const [least, most] = lengthsOf(packet, family);
      return [{ ...packet, length: Math.min(most, Math.max(least, packet.length)) }];
    });
    const rules = list.map((rule, place) => ({ ...rule, id: `rul_${place}` }));
    return { target: { id: `tgt_${index}`, ip, family, rules }, sent };
  });
  const { refused = [], rules } = await edge.reconcile(cases.map(({ target }) => target));
  await router.follow();
  await network.send(cases.flatMap(({ target: { ip }, sent }) => sent.map((packet) => frameOf(packet, ip))));
  let dropped = 0;
  let all = 0;
  for (const { target, sent } of cases) {
    const isRefused = (id: string) =>
      refused.some(({ targetId, ruleId }) => targetId === target.id && ruleId === id);
    const inForce = target.rules.filter(({ id }) => !isRefused(id));
    const passing = sent.filter((packet) => reference(inForce, packet) < 0);
    const found = sent.length === 0 ? 0 : (await router.totals(target.ip)).passed.packets;
    assert.equal(found, passing.length, `seed ${seed}: ${JSON.stringify({ target, sent }, null, 1)}`);
    dropped += sent.length - passing.length;
    all += sent.length;
  }
  t.diagnostic(`${rules} rules announced, ${refused.length} refused; ${dropped} of ${all} packets dropped`);
  assert.ok(dropped > all / 20 && dropped < all, 'rules and packets meet');
});

test('lost announcements of GoBGP are repeated as soon as it is back, and nothing else is touched', {
  skip,
}, async (t) => {
  const { network, router } = await open();
  const edge = edgeOf(t, router);
  // Like the reconciler, but immediately.
  let restored = Promise.withResolvers<void>();
  edge.onAltered(() => {
    edge.reconcile([{ ...TARGET, rules: [BLOCK] }]).then(
      () => restored.resolve(),
      () => {},
    );
  });
  const passes = async () => {
    await router.follow();
    const before = await router.totals(TARGET.ip);
    await network.send(Array.from({ length: A_FEW }, () => dns(TARGET.ip)));
    const now = await router.totals(TARGET.ip);
    assert.equal(now.in.packets - before.in.packets, A_FEW);
    return now.passed.packets - before.passed.packets;
  };
  assert.equal(await passes(), A_FEW);
  // The operator's own route, outside of the networks that Vauban may announce.
  await router.speak(
    'global',
    'rib',
    'add',
    '-a',
    'ipv4-flowspec',
    ...'match destination 198.18.0.1/32 then discard'.split(' '),
  );
  await router.speak('global', 'rib', 'add', '-a', 'ipv4', '203.0.113.0/24');
  await edge.reconcile([{ ...TARGET, rules: [BLOCK] }]);
  assert.equal(await passes(), 0);
  assert.equal(await router.received(), 3);

  const started = performance.now();
  await router.speak('global', 'rib', 'del', 'all', '-a', 'ipv4-flowspec');
  await restored.promise;
  assert.equal(await passes(), 0);
  t.diagnostic(`withdrawn by hand: dropped again ${Math.round(performance.now() - started)} ms later`);

  restored = Promise.withResolvers();
  await router.stopSpeaker();
  await assert.rejects(edge.putTarget({ ...TARGET, rules: [BLOCK] }), { name: 'EdgeUnavailableError' });
  await router.startSpeaker();
  const back = performance.now();
  await restored.promise;
  assert.equal(await passes(), 0);
  t.diagnostic(`GoBGP restarted: dropped again ${Math.round(performance.now() - back)} ms later`);
  await edge.reconcile([]);
  assert.equal(await passes(), A_FEW);
});

test('a change among many rules reads none of the others', { skip }, async (t) => {
  const { router } = await open();
  const edge = edgeOf(t, router, { maxAnnouncements: 2_000 });
  const ports = Array.from({ length: 10 }, (_, index) => `${1_000 + index}`);
  const rules = ports.map((port) => blocks(`rul_${port}`, { protocol: 'udp', sourcePorts: [port] }));
  const others = Array.from(
    { length: 100 },
    (_, index): EdgeTarget => ({ id: `tgt_many_${index}`, ip: `100.64.1.${index}`, family: 4, rules }),
  );
  await edge.reconcile(others);
  const reads = t.mock.method(Gobgp.prototype, 'routes');
  // Wait until GoBGP reports changes as events, so that the edge need not read the routes.
  const bps = { unit: 'bps' as const, value: 8_000_000 };
  const limit = limits('rul_limit', { protocol: 'tcp', tcpFlags: { set: ['syn'], unset: ['ack'] } }, 1);
  for (let round = 0; round === 0 || reads.mock.callCount() > 0; round++) {
    reads.mock.resetCalls();
    await edge.putTarget({ ...TARGET, rules: round % 2 === 0 ? [BLOCK] : [] });
  }
  const six: EdgeTarget = { ...TARGET, id: 'tgt_six', ip: '2001:db8:b::20', family: 6 };
  const wide = {
    source: '198.51.100.0/24',
    packetLength: { min: 300, max: 7_000 },
    fragments: 'none' as const,
  };
  const changes: [string, () => Promise<unknown>][] = [
    ['announced', () => edge.putTarget({ ...TARGET, rules: [...rules, BLOCK] })],
    ['limited', () => edge.putTarget({ ...TARGET, rules: [BLOCK, { ...limit, rate: bps }] })],
    [
      'limited otherwise',
      () => edge.putTarget({ ...TARGET, rules: [BLOCK, { ...limit, rate: { ...bps, value: 16_000_000 } }] }),
    ],
    ['for IPv6', () => edge.putTarget({ ...six, rules: [BLOCK] })],
    [
      'matching more',
      () => edge.putTarget({ ...TARGET, rules: [blocks('rul_wide', { protocol: 'udp', ...wide })] }),
    ],
    ['blackholed', () => edge.blackhole(TARGET.id, true)],
    ['in IPv6', () => edge.blackhole(six.id, true)],
    ['no longer', () => edge.blackhole(TARGET.id, false)],
    ['withdrawn', () => edge.putTarget(TARGET)],
    ['removed', () => edge.removeTarget(six.id)],
  ];
  const took: string[] = [];
  for (const [what, change] of changes) {
    const started = performance.now();
    await change();
    took.push(`${what} ${Math.round(performance.now() - started)} ms`);
  }
  t.diagnostic(`1,000 rules beside it: ${took.join(', ')}`);
  assert.equal(reads.mock.callCount(), 0);
  await router.follow();
  assert.equal(await router.received(), 1_000);

  // After a change by someone else the edge reads all routes.
  const altered = Promise.withResolvers<void>();
  edge.onAltered(() => altered.resolve());
  await router.speak(
    ...[
      'global',
      'rib',
      'add',
      '-a',
      'ipv4-flowspec',
      'match',
      'destination',
      `${TARGET.ip}/32`,
      'then',
      'discard',
    ],
  );
  await altered.promise;
  assert.ok(reads.mock.callCount() > 0);
});

test('nothing outside the given networks is announced, and no more than the given number', {
  skip,
}, async (t) => {
  const { router } = await open();
  const edge = edgeOf(t, router, { prefixes: ['203.0.113.16/28'], maxAnnouncements: 2 });
  const outside = { ...TARGET, ip: '203.0.113.9', rules: [BLOCK] };
  await assert.rejects(edge.putTarget(outside), { name: 'InvalidArgumentError', message: /^target\.ip: / });
  await assert.rejects(edge.reconcile([TARGET, outside]), { message: /^targets\.1\.ip: / });
  const three = ['1', '2', '3'].map((port) =>
    blocks(`rul_${port}`, { protocol: 'udp', sourcePorts: [port] }),
  );
  const { rules, refused } = await edge.putTarget({ ...TARGET, rules: three });
  assert.deepEqual([rules, refused!.map(({ ruleId, field }) => [ruleId, field])], [2, [['rul_3', 'target']]]);
  const other = { ...TARGET, id: 'tgt_2', ip: '203.0.113.21', rules: [BLOCK] };
  assert.equal(edge.capabilities().refusals!(other)[0]!.field, 'target');
  const pps = { ...TARGET, rules: [limits('rul_pps', { protocol: 'udp' }, 5)] };
  assert.deepEqual(
    edge.capabilities().refusals!(pps).map(({ field }) => field),
    ['rate'],
  );
  await router.follow();
  assert.equal(await router.received(), 2);
});

test('the API refuses rules that routers cannot express; with nftables as well they are applied here', {
  skip,
}, async (t) => {
  const { network, router } = await open();
  const env = {
    VAUBAN_EDGE: 'flowspec',
    VAUBAN_EDGE_HELPER: network.socket,
    VAUBAN_FLOWSPEC_GOBGP: router.gobgp,
    VAUBAN_FLOWSPEC_PREFIXES: '100.64.0.0/14',
    VAUBAN_RATE_LIMIT_KEY: '1000000',
    VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
  };
  const service = await startService(t, { env });
  const customer = await newCustomer(service);
  const { ip, rules, targetId } = await protect(service, { mbps: 100, customer });
  const refused = async (body: object, field: string) => {
    const reply = await customer.send('POST', rules, { body, idempotencyKey: crypto.randomUUID() });
    assert.equal(reply.status, 422, reply.text);
    const [{ field: named, code }] = reply.json.error.details.fields;
    assert.deepEqual([named, code], [field, 'not_supported']);
  };
  const wide = { action: 'rate_limit', protocol: 'udp', priority: 10 };
  await refused({ ...wide, rate: { pps: 100 } }, 'rate');
  await refused({ ...wide, rate: { bps: 1_000_000_001 } }, 'rate');
  const limit = await customer.ask('POST', rules, { ...wide, rate: { bps: 8_000_000 } });
  const narrow = { action: 'block', protocol: 'udp', source_ports: ['53'] };
  await refused({ ...narrow, priority: 20 }, 'priority');
  const block = await customer.ask('POST', rules, { ...narrow, priority: 5 });
  const status = async (id: string) =>
    (await customer.ask('GET', rules)).find((one: { id: string }) => one.id === id).status;
  for (const { id } of [limit, block]) while ((await status(id)) !== 'active');
  const passed = async () => {
    await router.follow();
    const before = await router.totals(ip);
    await network.send(Array.from({ length: A_FEW }, () => dns(ip)));
    return (await router.totals(ip)).passed.packets - before.passed.packets;
  };
  assert.equal(await passed(), 0);
  await service.stop();
  assert.equal(await passed(), 0, 'while the service is away');

  const both = { ...env, VAUBAN_EDGE: 'nftables+flowspec' };
  const next = await startService(t, { location: service.location, env: both });
  customer.target = next;
  const pps = await customer.ask('POST', rules, { action: 'rate_limit', protocol: 'icmp', rate: { pps: 5 } });
  while ((await status(pps.id)) !== 'active');
  const chain = await network.edge.run('nft', 'list', 'table', 'netdev', 'vauban-edge');
  for (const { id } of [limit, block, pps]) assert.ok(chain.includes(id), `${id} is here`);
  assert.equal(await passed(), 0);
  assert.equal(await router.received(), 2, 'a limit by packets is not announced');
  await operate(next, `/targets/${targetId}/mode`, { mode: 'off' });
  while ((await router.received()) !== 0);
});
