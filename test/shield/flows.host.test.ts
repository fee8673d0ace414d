import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setTargetThreshold } from '../../server/db/queries/shield/shield-targets.ts';
import type { EdgeDriver } from '../../server/edge/driver.ts';
import { FlowCounts } from '../../server/edge/flows/counts.ts';
import { FlowSource } from '../../server/edge/flows/flow-source.ts';
import { readLine } from '../../server/edge/flows/line.ts';
import { FlowWatchedEdge } from '../../server/edge/flows/watched-edge.ts';
import { createEdgeSimulator } from '../../server/edge/simulator/simulator.ts';
import type { EdgeStore } from '../../server/edge/simulator/store.ts';
import type { SimulatedTarget } from '../../server/edge/simulator/target.ts';
import type { Clock, ManualClock } from '../../server/platform/clock.ts';
import { Namespace } from '../compute/routed/support/namespace.ts';
import { makePipe } from '../edge/support/pipe.ts';
import { defer } from '../support/cleanup.ts';
import { skipUnlessRequired } from '../support/tiny-image.ts';
import { attacksOn, openShield, rulesOf } from './support.ts';

const SECOND = 1000;
const IP = '203.0.113.9';
const purge = (over: object) =>
  JSON.stringify({
    event_type: 'purge',
    ip_dst: IP,
    port_src: 53,
    tcp_flags: '0',
    ip_proto: 'udp',
    packets: 2,
    bytes: 1_400,
    ...over,
  });
const CLOSE = JSON.stringify({ event_type: 'purge_close', writer_id: 'default/1' });

test('lines of the collector, and invalid ones', () => {
  assert.deepEqual(readLine(purge({})), {
    ...{ ip: IP, class: 'udp', packets: 2, bytes: 1_400 },
    source: { protocol: 'udp', port: 53 },
  });
  const classOf = (over: object) => Object(readLine(purge(over))).class;
  assert.equal(classOf({ ip_proto: 'tcp', tcp_flags: '2' }), 'syn');
  assert.equal(classOf({ ip_proto: 'tcp', tcp_flags: '27' }), 'tcp', 'a connection that was answered');
  assert.equal(classOf({ ip_proto: 'icmp' }), 'icmp');
  assert.equal(classOf({ ip_proto: 'ipv6-icmp' }), 'icmp');
  assert.equal(classOf({ ip_proto: 'gre' }), 'other');
  assert.equal(readLine(CLOSE), 'purge');
  const wrong = [
    { packets: -1 },
    { packets: 1e300 },
    { packets: '2' },
    { bytes: 0.5 },
    { ip_dst: 4 },
    { event_type: 'x' },
  ];
  for (const over of wrong) assert.equal(readLine(purge(over)), undefined, JSON.stringify(over));
  for (const line of ['', 'null', '[]', '{', '"purge_close"', purge({}).slice(0, 40)])
    assert.equal(readLine(line), undefined, line);
});

test("a minute of an exporter's flow is spread over a minute, to the packet", () => {
  const counts = new FlowCounts(60);
  counts.add('tgt_1', IP);
  const flow = { ip: IP, class: 'udp', source: null, packets: 6_000, bytes: 600_000 } as const;
  counts.take(flow, 0);
  counts.take({ ...flow, ip: '203.0.113.10' }, 0);
  const packets = () => counts.details()[0]!.classes.udp.packets;
  counts.step(1);
  assert.equal(packets(), 100);
  counts.step(10);
  assert.equal(packets(), 1_100);
  counts.take(flow, 0);
  counts.step(1);
  assert.equal(packets(), 1_300);
  counts.step(1_000);
  assert.equal(packets(), 12_000);
  counts.step(1);
  assert.equal(packets(), 12_000);
  counts.replace([{ id: 'tgt_2', ip: '2001:db8:b:0::9' }]);
  counts.take({ ...flow, ip: '2001:DB8:b::9' }, 0);
  counts.step(60);
  assert.deepEqual(
    counts.details().map(({ id, classes }) => [id, classes.udp.packets]),
    [['tgt_2', 6_000]],
  );
});

/** A shield that only learns of traffic from a pipe: its edge receives none. */
async function openFlows(t: TestContext) {
  const pipe = makePipe(t);
  let source: FlowSource | undefined;
  const shield = await openShield(t, (clock: Clock): EdgeDriver => {
    source = new FlowSource({ pipe, seconds: 1, clock });
    // Nothing else stores its targets.
    const edge = createEdgeSimulator({ clock, store: memoryStore() });
    return new FlowWatchedEdge(edge, source);
  });
  t.after(() => source!.close());
  return { shield, pipe, source: source!, clock: shield.api.services.clock as ManualClock };
}

/** Stores the simulator's targets in memory. */
function memoryStore(): EdgeStore {
  const kept = new Map<string, SimulatedTarget>();
  return {
    readTargets: async (ids) =>
      [...kept].filter(([id]) => !ids || ids.includes(id)).map(([id, state]) => ({ id, state })),
    async replaceTargets(ids, work) {
      for (const id of [...kept.keys()]) if (!ids.includes(id)) kept.delete(id);
      for (const id of ids) kept.set(id, work(id, kept.get(id)));
    },
    putTarget: async (id, work) => void kept.set(id, work(kept.get(id))),
    deleteTarget: async (id) => void kept.delete(id),
    async changeTarget(id, work) {
      const present = kept.get(id);
      if (present) kept.set(id, work(present));
      return kept.get(id);
    },
  };
}

test('an attack that only flows show is noticed, named, answered and over; silence ends none', async (t) => {
  const { shield, pipe, source, clock } = await openFlows(t);
  const target = await shield.target();
  /** Advances one second, at whose end the collector reports this traffic. */
  const round = async (...rows: object[]) => {
    clock.advance(SECOND);
    const lines = rows.map((row) => purge({ ip_dst: target.ip, ...row }));
    appendFileSync(pipe, `${[...lines, CLOSE].join('\n')}\n`);
    const until = clock.now().getTime();
    const isRead = () =>
      source.readTotals().then(
        ({ at }) => at.getTime() === until,
        () => false,
      );
    while (!(await isRead())) await sleep(1);
    await shield.look();
  };
  const usual = { port_src: 443, ip_proto: 'tcp', tcp_flags: '24', packets: 100, bytes: 50_000 };
  const flood = { port_src: 53, packets: 100_000, bytes: 140_000_000 };
  for (let second = 0; second < 12; second++) await round(usual);
  assert.deepEqual(await attacksOn(shield.api, target), []);
  for (let second = 0; second < 4; second++) await round(usual, flood);
  const [attack, ...others] = await attacksOn(shield.api, target);
  assert.deepEqual(others, []);
  assert.deepEqual([attack!.status, attack!.vectors], ['ongoing', ['dns_amplification']]);
  assert.equal(attack!.peak_pps.value, 100_100);
  assert.ok(attack!.mitigated_at);
  const [rule] = await rulesOf(shield.api, target);
  assert.deepEqual([rule!.origin, rule!.source_ports, rule!.status], ['automatic', ['53'], 'active']);

  // An invalid line, or one without an end, does not affect the following ones.
  appendFileSync(pipe, `nonsense\n${'x'.repeat(20_000)}`);
  appendFileSync(pipe, 'still the same\n');
  await round(usual, flood);
  // While the collector is away nothing is known: the attack stays ongoing, and its rules are kept.
  for (let minute = 0; minute < 15; minute++) {
    clock.advance(60 * SECOND);
    await assert.rejects(shield.look(), /the flow collector has sent nothing for \d+ s/);
    await shield.reconciler.reconcile();
  }
  assert.equal((await attacksOn(shield.api, target))[0]!.status, 'ongoing');
  assert.equal((await rulesOf(shield.api, target)).length, 1);
  for (let second = 0; second < 63; second++) await round(usual);
  assert.equal((await attacksOn(shield.api, target))[0]!.status, 'ended');
});

test('a pipe that others can write to is refused, and so is another file', async (t) => {
  const clock = { now: () => new Date(), sleep: async () => {} };
  const open = (pipe: string) => () => new FlowSource({ pipe, seconds: 1, clock });
  assert.throws(open(makePipe(t, 0o666)), /VAUBAN_FLOWS_PIPE: \S+ is writable by users/);
  assert.throws(open('/nowhere/pipe'), /VAUBAN_FLOWS_PIPE: ENOENT/);
  const file = `${makePipe(t)}-file`;
  writeFileSync(file, '');
  assert.throws(open(file), /VAUBAN_FLOWS_PIPE: \S+ is not a named pipe/);
});

const PROGRAMS = ['nfacctd', 'sfacctd', 'pmacctd', 'ip', 'nsenter', 'ping'];
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
function whyNot(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for network namespaces';
  const missing = PROGRAMS.filter((name) => !FOLDERS.some((folder) => existsSync(join(folder, name))));
  return missing.length > 0 && skipUnlessRequired(`needs ${missing.join(', ')}`);
}

const THRESHOLD_PPS = 100;
const MOST_LOOKS = 600;
const LOOK_MS = 250;

for (const [protocol, collector, probe, more] of [
  [
    'IPFIX',
    'nfacctd',
    'nfprobe',
    'nfprobe_version: 10\nnfprobe_timeouts: icmp=1:general=1:maxlife=1:expint=1',
  ],
  ['sFlow', 'sfacctd', 'sfprobe', 'sampling_rate: 4'],
] as const) {
  test(`real packets, told by ${protocol} to a real collector, are an attack`, {
    skip: whyNot(),
  }, async (t) => {
    const { shield, pipe, clock } = await openFlows(t);
    const target = await shield.target();
    const { db } = shield.api.services;
    await setTargetThreshold(db, target.id, { pps: BigInt(THRESHOLD_PPS), bps: null });
    const space = await Namespace.make(t);
    await space.ip(`addr add ${target.ip}/32 dev lo`);
    const start = (name: string, text: string): ChildProcess => {
      const file = `${pipe}-${name}.conf`;
      writeFileSync(file, `daemonize: false\n${text}\n`);
      const [program, args] = space.command(name, '-f', file);
      // The collector's plugins are separate processes that end with it.
      const child = spawn(program, args, { stdio: 'ignore', detached: true });
      defer(t, async () => {
        const ended = once(child, 'exit');
        process.kill(-child.pid!, 'SIGKILL');
        await ended;
      });
      return child;
    };
    start(
      collector,
      `${collector}_ip: 127.0.0.1\n${collector}_port: 2055\n${collector}_renormalize: true\nplugins: print
aggregate: dst_host, proto, src_port, tcpflags\nprint_output: json\nprint_markers: true\nprint_refresh_time: 1
print_output_file: ${pipe}\nprint_output_file_append: true`,
    );
    start(
      'pmacctd',
      `pcap_interface: lo\npcap_filter: dst host ${target.ip}\nplugins: ${probe}\n${probe}_receiver: 127.0.0.1:2055
aggregate: src_host, dst_host, src_port, dst_port, proto, tcpflags\n${more}`,
    );
    const [program, args] = space.command('ping', '-q', '-i', '0.001', target.ip);
    const ping = spawn(program, args, { stdio: 'ignore' });
    defer(t, async () => {
      const ended = once(ping, 'exit');
      ping.kill('SIGKILL');
      await ended;
    });
    for (let looks = 0; ; looks++) {
      assert.ok(looks < MOST_LOOKS, 'not noticed');
      await sleep(LOOK_MS);
      clock.advance(LOOK_MS);
      // There is nothing to read until the collector has started.
      await shield.look().catch(() => {});
      const [attack] = await attacksOn(shield.api, target);
      if (!attack?.mitigated_at) continue;
      assert.deepEqual(attack.vectors, ['icmp_flood']);
      t.diagnostic(`${attack.peak_pps.value} packets/s, mitigated at look ${looks}`);
      break;
    }
    const [rule] = await rulesOf(shield.api, target);
    assert.deepEqual([rule!.origin, rule!.protocol], ['automatic', 'icmp']);
  });
}
