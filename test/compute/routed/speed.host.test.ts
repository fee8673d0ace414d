import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { queueLines } from '../../../server/compute/qemu/routed/speed.ts';
import { Env, INTERNET, OPEN, type TestGuest, whyNot } from './support/env.ts';

const skip = whyNot();
/** The slowest that can be sold: 125,000 bytes a second. */
const BPS = 1_000_000;
/** What nft lets pass at once: a second's worth; what tbf does: its burst, and frames in full. */
const SENT_AT_ONCE = BPS / 8 + 2 * 1_500;
const RECEIVED_AT_ONCE = 128 * 1024 + 2 * 1_514;
const PACKETS = 3_000;
/** Of data, in an IPv4 packet that just fits into a frame. */
const DATA = 1_472;
const PACKET_BYTES = DATA + 28;
const SLOW = { ...OPEN, bandwidthBps: BPS };

test('an interface is slowed, sped up, and left as it was where there is no limit', () => {
  const present = [
    { dev: 'vauslowed', handle: '7a11:' },
    { dev: 'vauplain', handle: '0:' },
  ];
  const speeds = (bps?: number) =>
    new Map(['vauslowed', 'vauplain', 'vauabsent'].map((tap) => [tap, { bandwidthBps: bps }]));
  assert.deepEqual(queueLines(speeds(), present), ['qdisc del dev vauslowed root']);
  assert.deepEqual(queueLines(speeds(100_000_000), present), [
    'qdisc replace dev vauslowed root handle 7a11: tbf rate 100000000bit burst 1250000 latency 50ms',
    'qdisc replace dev vauplain root handle 7a11: tbf rate 100000000bit burst 1250000 latency 50ms',
  ]);
});

/** Bytes that came through of {@link PACKETS} sent each way, and how many the speed allowed for meanwhile. */
async function transfer(env: Env, guest: TestGuest) {
  const sentBytes = async () => (await env.network.counters([guest.id])).get(guest.id)!.outBytes;
  const before = { up: await sentBytes(), down: await receivedBytes(guest) };
  const started = performance.now();
  const flood = ['-q', '-c', `${PACKETS}`, '-p', `${DATA}`, '-t', 'udp', 'dp=9'];
  const to = ['-b', await env.gatewayMac(guest)];
  await guest.space.run('mausezahn', 'eth0', '-A', guest.v4, '-B', INTERNET[4], ...to, ...flood);
  await env.internet.run('mausezahn', 'out0', '-A', INTERNET[4], '-B', guest.v4, ...flood);
  const [up, down] = [(await sentBytes()) - before.up, (await receivedBytes(guest)) - before.down];
  return { up, down, allowed: ((performance.now() - started) / 1_000) * (BPS / 8) };
}

/** What the guest's card has received: behind every queue. */
async function receivedBytes({ space }: TestGuest): Promise<number> {
  return JSON.parse(await space.run('ip', '-j', '-s', 'link', 'show', 'eth0'))[0].stats64.rx.bytes;
}

test('a guest sends and receives no faster than it was sold, from then on and until that changes', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 30, SLOW);
  const sent = PACKETS * PACKET_BYTES;
  const isSlow = async () => {
    const { up, down, allowed } = await transfer(env, guest);
    t.diagnostic(`slow: of ${sent} bytes ${up} up, ${down} down; allowed for ${Math.round(allowed)}`);
    assert.ok(up > 0 && up <= SENT_AT_ONCE + allowed, `${up}`);
    assert.ok(down > 0 && down <= RECEIVED_AT_ONCE + allowed, `${down}`);
  };
  const isFast = async () => {
    const { up, down } = await transfer(env, guest);
    t.diagnostic(`fast: of ${sent} bytes ${up} up, ${down} down`);
    // And then some: the guest answers that nothing listens.
    assert.ok(up >= sent && down >= sent);
  };
  await isSlow();
  await env.network.apply(guest, OPEN);
  await isFast();
  await env.network.apply(guest, SLOW);
  await isSlow();
  // A start of the service, on a host where everything was cleared away.
  await env.host.run('nft', 'flush', 'ruleset');
  await env.host.run('tc', 'qdisc', 'del', 'dev', guest.tap, 'root');
  await env.network.reassert([{ guest, policy: SLOW }]);
  await isSlow();
  await env.network.reassert([{ guest, policy: OPEN }]);
  await isFast();
});
