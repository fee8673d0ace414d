import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { limits } from '../../server/edge/contract-harness.ts';
import type { EdgeRule, EdgeTarget } from '../../server/edge/driver.ts';
import { READ_EVERY_MS } from '../../server/edge/nftables/nftables.ts';
import type { ManualClock } from '../../server/platform/clock.ts';
import { attacksOn, openShield, rulesOf } from '../shield/support.ts';
import { defer } from '../support/cleanup.ts';
import { type Frame, frameOf } from './support/frames.ts';
import { CLIENT, EdgeNetwork, whyNot } from './support/network.ts';
import { TimedEdge } from './support/timed-edge.ts';

const skip = whyNot();
const SENDERS = 4_000;
const PPS = 4_000;
/** Enough to prove that no SYN proxy is active. */
const FEW_SENDERS = 200;
/** Packets in a quarter of a second: 60,000 per second, 1.5 times the attack threshold. */
const QUARTER = 15_000;
const REQUESTS = 10;
const CLIENTS = { 4: CLIENT, 6: '2001:db8:a::2' };
const TARGETS = {
  4: { id: 'tgt_4', ip: '203.0.113.9', family: 4, rules: [] },
  6: { id: 'tgt_6', ip: '2001:db8:b::9', family: 6, rules: [] },
} as const satisfies Record<4 | 6, EdgeTarget>;
const SYN = { protocol: 'tcp', tcpFlags: { set: ['syn'], unset: ['ack'] } } as const;
const PROXY: EdgeRule = {
  ...limits('rul_proxy', SYN as never, 100_000),
  rate: { unit: 'pps', value: 100_000, synProxy: true },
};

/** Builds SYN packets to an address, each from another sender that never answers. */
function flood(ip: string, senders = SENDERS): Frame[] {
  return Array.from({ length: senders }, (_, index) => {
    const [high, low] = [index >> 8, index & 255];
    const source = ip.includes(':') ? `2001:db8:f:${index.toString(16)}::7` : `198.18.${high}.${low}`;
    const ports = { sourcePort: 1_024 + index, destinationPort: 80 };
    return frameOf({ protocol: 6, source, ...ports, length: 60, flags: ['syn'], fragment: 'none' }, ip);
  });
}

/** Starts a program in a namespace and exchanges lines with it. */
async function start(t: TestContext, space: EdgeNetwork['victim'], script: string) {
  const [program, args] = space.command(process.execPath, '-e', script);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  defer(t, async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  return { next, say: (line: string) => child.stdin.write(`${line}\n`) };
}

/** Starts a web server on the victim and counts the strangers' SYN packets that reach it. */
async function serve(t: TestContext, network: EdgeNetwork, ip?: string) {
  if (ip) await network.victim.ip(`addr add ${ip}/32 dev lo`);
  const server = "require('http').createServer((_, reply) => reply.end('here'))";
  const { next } = await start(
    t,
    network.victim,
    `${server}.listen(80, '::', () => console.log('listening'))`,
  );
  await next();
  const strangers = ['ip saddr 198.18.0.0/15', 'ip6 saddr 2001:db8:f::/48'];
  await network.victim.run('nft', 'add table netdev arrivals; add counter netdev arrivals syn');
  await network.victim.run(
    'nft',
    'add chain netdev arrivals in { type filter hook ingress device "v0" priority 0; }',
  );
  for (const from of strangers) {
    await network.victim.run(
      'nft',
      `add rule netdev arrivals in ${from} tcp flags & 0x12 == 0x2 counter name syn`,
    );
  }
  return async () => {
    const { nftables } = JSON.parse(await network.victim.run('nft', '-j', 'list counters netdev'));
    return nftables.find((item: object) => 'counter' in item).counter.packets as number;
  };
}

/** Sends requests, each on its own connection, and returns how many are answered. */
async function requests({ attacker }: EdgeNetwork, ip: string): Promise<number> {
  const family = ip.includes(':') ? 6 : 4;
  const url = `http://${family === 6 ? `[${ip}]` : ip}/`;
  const options = [
    '--silent',
    '--max-time',
    '20',
    '--interface',
    CLIENTS[family],
    '--header',
    'Connection: close',
  ];
  const each = [...options, '--output', '/dev/null', '--write-out', '%{http_code}\\n', url];
  const words = Array.from({ length: REQUESTS }, (_, index) =>
    index === 0 ? each : ['--next', ...each],
  ).flat();
  const codes = await attacker.run('curl', ...words).catch((error: { stdout: string }) => error.stdout);
  return codes.split('\n').filter((code) => code === '200').length;
}

for (const family of [4, 6] as const) {
  test(`in a flood of SYN from everywhere new connections are made and open ones continue, IPv${family}`, {
    skip,
  }, async (t) => {
    const network = await EdgeNetwork.open(t, { synProxy: true, devices: 2 });
    const edge = network.client();
    t.after(() => edge.close());
    assert.deepEqual([(await edge.probe()).ok, edge.capabilities().synProxy], [true, true]);
    const target = TARGETS[family];
    await edge.reconcile([target]);
    const arrived = await serve(t, network);
    const host = `host: '${target.ip}', localAddress: '${CLIENTS[family]}', port: 80`;
    const open = await start(
      t,
      network.attacker,
      `const socket = require('net').connect({ ${host} }, () => console.log('open'));
       socket.on('data', () => console.log('answered'));
       require('readline').createInterface({ input: process.stdin }).on('line', () =>
         socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'));`,
    );
    const ask = async () => {
      open.say('ask');
      return open.next();
    };
    assert.equal(await open.next(), 'open');
    assert.equal(await ask(), 'answered');

    await edge.putTarget({ ...target, rules: [PROXY] });
    const before = (await edge.readTotals()).rows[0]!;
    const frames = flood(target.ip);
    let flooding = true;
    let sent = 0;
    const stream = (async () => {
      for (; flooding; sent += SENDERS) await network.stream(frames, SENDERS, PPS);
    })();
    const answered = await requests(network, target.ip);
    assert.equal(await ask(), 'answered', 'a connection from before');
    flooding = false;
    await stream;
    const after = (await edge.readTotals()).rows[0]!;
    t.diagnostic(
      `${answered} of ${REQUESTS} requests answered, each by a connection of its own, beside ${sent} SYN`,
    );
    assert.equal(answered, REQUESTS);
    assert.equal(await arrived(), 0, 'not one SYN of a stranger reaches the target');
    const [all, passed] = (['in', 'passed'] as const).map(
      (part) => after[part].packets - before[part].packets,
    );
    assert.ok(all! >= sent + REQUESTS);
    assert.ok(passed! > 0 && passed! < 100 * REQUESTS, `${passed} packets are counted as passed`);

    await edge.putTarget(target);
    assert.equal(await ask(), 'answered', 'once nothing is proxied any more');
    await network.send(frames.slice(0, REQUESTS));
    while ((await arrived()) < REQUESTS);
  });
}

test('the proxy is chosen automatically, and replaced if it is switched off during an attack', {
  skip,
}, async (t) => {
  const network = await EdgeNetwork.open(t, { synProxy: true, devices: 2 });
  let edge: TimedEdge | undefined;
  const shield = await openShield(t, (clock) => {
    edge = new TimedEdge(network.socket, clock);
    return edge;
  });
  t.after(() => edge!.close());
  await edge!.probe();
  const target = await shield.target();
  await serve(t, network, target.ip);
  const frames = flood(target.ip, FEW_SENDERS);
  /** Sends this many SYN packets in a quarter of a second and lets the detector look once. */
  const quarter = async (count: number) => {
    const before = await network.received();
    if (count > 0) await network.stream(frames, count);
    await network.untilReceived(before + count);
    (shield.api.services.clock as ManualClock).advance(READ_EVERY_MS);
    await shield.look();
  };
  const found = async () =>
    (await rulesOf(shield.api, target)).map(({ status, comment, action }) => [status, action, comment]);
  for (let look = 0; look < 3; look++) await quarter(0);
  for (let look = 0; look < 3; look++) await quarter(QUARTER);
  assert.deepEqual(await found(), [
    [
      'active',
      'rate_limit',
      'Answers SYN packets for the target and lets clients through that complete the handshake',
    ],
  ]);
  assert.equal(await requests(network, target.ip), REQUESTS);
  await quarter(QUARTER);
  const [attack] = await attacksOn(shield.api, target);
  assert.deepEqual([attack!.status, attack!.vectors], ['ongoing', ['syn_flood']]);
  assert.ok(attack!.mitigated_at);

  await network.stopHelper();
  await network.configure({ synProxy: false });
  await network.startHelper();
  await edge!.probe();
  shield.reconciler.noticeAltered();
  for (let look = 0; look < 4; look++) await quarter(QUARTER);
  const [rule, ...others] = await found();
  assert.deepEqual([rule![0], others], ['active', []]);
  assert.match(rule![2]!, /^Limits tcp to \d+ packets per second, \d+ per sender$/);
  const tables = await network.edge.run('nft', 'list', 'tables');
  assert.ok(!tables.includes('vauban-edge-proxy'));
});

test('the edge says why it cannot answer SYN, and refuses unconfigured requests', {
  skip,
}, async (t) => {
  const network = await EdgeNetwork.open(t);
  const edge = network.client();
  t.after(() => edge.close());
  await edge.probe();
  assert.equal(edge.capabilities().synProxy, false);
  const { rules, refused } = await edge.putTarget({ ...TARGETS[4], rules: [PROXY] });
  assert.deepEqual(
    [rules, refused!.map(({ ruleId, field }) => [ruleId, field])],
    [0, [['rul_proxy', 'rate']]],
  );

  await network.configure({ synProxy: true });
  const restart = async () => {
    await network.stopHelper();
    await network.startHelper();
    return edge.probe();
  };
  assert.equal((await restart()).ok, true);
  await network.edge.run('sh', '-c', 'echo 1 >/proc/sys/net/netfilter/nf_conntrack_tcp_loose');
  assert.match((await restart()).summary, /^syn_proxy: needs net\.netfilter\.nf_conntrack_tcp_loose=0/);
  await network.edge.run('nft', 'add', 'table', 'inet', 'vauban');
  assert.match((await restart()).summary, /^syn_proxy: .* would bypass the firewall of guests$/);
});
