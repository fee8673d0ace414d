import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { queueLines } from '../../../server/compute/qemu/routed/speed.ts';
import { Env, INTERNET, OPEN, type TestGuest, whyNot } from './support/env.ts';

const skip = whyNot();
/** The slowest speed on sale: 125,000 bytes per second. */
const BPS = 1_000_000;
/** Bursts: nft lets a second's worth of bytes pass at once, tbf its burst size, counting whole frames. */
const SENT_AT_ONCE = BPS / 8 + 2 * 1_500;
const RECEIVED_AT_ONCE = 128 * 1024 + 2 * 1_514;
const PACKETS = 3_000;
/** The payload of an IPv4 packet that just fits into a frame. */
const DATA = 1_472;
const PACKET_BYTES = DATA + 28;
const SLOW = { ...OPEN, bandwidthBps: BPS };

test('an interface is slowed, sped up, and left unchanged without a limit', () => {
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

/** Sends {@link PACKETS} each way; returns the bytes that came through and how many the speed allowed in that time. */
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

/** Returns the bytes that the guest's card has received, after all queues. */
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
    // Slightly more: the guest replies that nothing listens.
    assert.ok(up >= sent && down >= sent);
  };
  await isSlow();
  await env.network.apply(guest, OPEN);
  await isFast();
  await env.network.apply(guest, SLOW);
  await isSlow();
  // Simulates a start of the service on a host whose rules were flushed.
  await env.host.run('nft', 'flush', 'ruleset');
  await env.host.run('tc', 'qdisc', 'del', 'dev', guest.tap, 'root');
  await env.network.reassert([{ guest, policy: SLOW }]);
  await isSlow();
  await env.network.reassert([{ guest, policy: OPEN }]);
  await isFast();
});
