// Needs: root, nftables, netsniff-ng, iperf3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Packet } from '../../server/edge/simulator/packet.ts';
import { operate } from '../chaos/support/customer.ts';
import { startService } from '../support/service.ts';
import { openBottleneck, REQUESTS, type Service } from './support/bottleneck.ts';
import { type Frame, frameOf } from './support/frames.ts';
import { EdgeNetwork, JUMBO, whyNot } from './support/network.ts';
import { type Protected, protect } from './support/protected.ts';

/** The speed of the link behind the edge. A flood is five times as fast, or as fast as this machine can send. */
const LINK_MBPS = Number(process.env.EDGE_LINK_MBPS ?? 5);
const FLOOD_MBPS = 5 * LINK_MBPS;
const THRESHOLD_MBPS = 1.5 * LINK_MBPS;
/** These machines send only thousands of packets per second, so a wide link needs large packets. */
const [MTU, LENGTH] = LINK_MBPS < 50 ? [1_500, 1_400] : [JUMBO, 8_900];
/** Makes the edge answer SYN packets on behalf of the targets. */
const SYN_PROXY = process.env.EDGE_SYN_PROXY === '1';
/** Longer than it takes to notice the flood and to use the service during it. */
const FLOOD_SECONDS = 12;
const CARPET = 6;
/** The number of polls for an attack; they last until long after its flood has ended. */
const MOST_ASKED = 600;
/** Shares of the usual service: what is left at most under a flood, and what a protected service must have at least. */
const COLLAPSED = 0.5;
const RESTORED = 0.8;

const packet = (over: Partial<Packet>): Packet => ({
  protocol: 17,
  source: '198.51.100.7',
  sourcePort: 53,
  destinationPort: 4_000,
  length: LENGTH,
  flags: [],
  fragment: 'none',
  ...over,
});
/** From many source ports, evenly. */
const manyPorts = (over: Partial<Packet>) =>
  Array.from({ length: 200 }, (_, index) => packet({ sourcePort: 1_024 + 101 * index, ...over }));
const SYN: Partial<Packet> = {
  protocol: 6,
  flags: ['syn'],
  length: Math.ceil(LENGTH / 6),
  destinationPort: 80,
};
/** Floods by vector, with a variant after the comma. */
const VECTORS: Record<string, Packet[]> = {
  syn_flood: manyPorts(SYN),
  'syn_flood, 4,000 senders': Array.from({ length: 4_000 }, (_, index) =>
    packet({ ...SYN, source: `198.18.${index >> 8}.${index & 255}`, sourcePort: 1_024 + index }),
  ),
  udp_flood: manyPorts({}),
  dns_amplification: [packet({})],
  ntp_amplification: [packet({ sourcePort: 123, length: Math.ceil(LENGTH / 3) })],
  icmp_flood: [packet({ protocol: 1, sourcePort: null, destinationPort: null })],
  fragment_flood: [packet({ fragment: 'later', sourcePort: null, destinationPort: null })],
};

test('a service behind a narrow link is restored, by a rule and automatically', {
  skip: whyNot(),
}, async (t) => {
  const network = await EdgeNetwork.open(t, { mtu: MTU, synProxy: SYN_PROXY });
  await network.pace(FLOOD_MBPS);
  const env = {
    VAUBAN_EDGE: 'nftables',
    VAUBAN_EDGE_HELPER: network.socket,
    VAUBAN_RATE_LIMIT_KEY: '1000000',
    VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
  };
  const service = await startService(t, { env });
  const first = await protect(service, { mbps: THRESHOLD_MBPS });
  const { customer } = first;
  await operate(service, `/accounts/${customer.accountId}/credits`, { amount: '500' });
  await operate(service, `/accounts/${customer.accountId}/limits`, {
    limits: { vms: 50, vcpu: 100, ram_mb: 200_000, disk_gb: 5_000 },
  });
  const more: Protected[] = [];
  const names = [...Object.keys(VECTORS), 'mix'];
  for (let n = 0; n < names.length + CARPET; n++) {
    more.push(await protect(service, { mbps: THRESHOLD_MBPS, customer, tenant: first.tenantId }));
  }
  const { use, requests, throughput } = await openBottleneck(
    t,
    network,
    LINK_MBPS,
    [first, ...more].map(({ ip }) => ip),
  );
  let fastest = 0;
  const flood = async (frames: Frame[], seconds = FLOOD_SECONDS) => {
    const mean = frames.reduce((sum, { length }) => sum + length, 0) / frames.length;
    const started = performance.now();
    const count = Math.round((seconds * FLOOD_MBPS * 1e6) / 8 / mean);
    await network.paced(frames, count);
    fastest = Math.max(fastest, (8 * count * mean) / 1_000 / (performance.now() - started));
  };
  /** Resolves when the latest attack on a target is being mitigated with these vectors. */
  const mitigated = async ({ events }: Protected, vectors: string[]) => {
    for (let asked = 0; asked < MOST_ASKED; asked++) {
      const [attack] = await customer.ask('GET', events);
      if (attack?.mitigated_at && vectors.every((name) => attack.vectors.includes(name))) return attack;
      // Pause, so that the polling itself does not take up the machine.
      await sleep(100);
    }
    return assert.fail(`not mitigated: ${vectors}`);
  };

  const usual = await use(first.ip);
  assert.equal(usual.answered, REQUESTS);
  t.diagnostic('flood of 5 times the link     mitigated  throughput  of the usual  requests answered');
  const show = (name: string, after: string, { mbps, answered }: Partial<Service> & { mbps: number }) =>
    t.diagnostic(
      `${name.padEnd(28)} ${after.padStart(10)} ${mbps.toFixed(2).padStart(6)} Mbit/s ${(mbps / usual.mbps).toFixed(2).padStart(9)} ` +
        `${(answered === undefined ? '' : `${answered} of ${REQUESTS}`).padStart(18)}`,
    );
  show('none', '', usual);
  const restored = (name: string, found: Service) =>
    assert.ok(found.mbps >= RESTORED * usual.mbps, `${name}: ${found.mbps} of ${usual.mbps} Mbit/s`);

  await operate(service, `/targets/${first.targetId}/mode`, { mode: 'sensor' });
  const udp = VECTORS.dns_amplification!.map((one) => frameOf(one, first.ip));
  let flooding = flood(udp, 2 * FLOOD_SECONDS);
  const collapsed = { mbps: await throughput(first.ip) };
  show('dns, only watched', '', collapsed);
  assert.ok(collapsed.mbps < COLLAPSED * usual.mbps, `${collapsed.mbps} of ${usual.mbps} Mbit/s`);
  const rule = await customer.ask('POST', first.rules, {
    action: 'block',
    protocol: 'udp',
    source_ports: ['53'],
  });
  while (
    (await customer.ask('GET', first.rules)).find(({ id }: { id: string }) => id === rule.id).status !==
    'active'
  );
  const ruled = await use(first.ip);
  show('dns, a rule by the API', '', ruled);
  restored('a rule', ruled);
  await flooding;

  const seconds = ({ started_at, mitigated_at }: { started_at: string; mitigated_at: string }) =>
    `${((Date.parse(mitigated_at) - Date.parse(started_at)) / 1000).toFixed(2)} s`;
  for (const [name, packets] of Object.entries(VECTORS)) {
    const target = more.shift()!;
    // New connections look like the SYN flood; only a connection that was open before must continue.
    const [vector] = name.split(',') as [string];
    const open = vector === 'syn_flood' ? throughput(target.ip, FLOOD_SECONDS) : undefined;
    flooding = flood(packets.map((one) => frameOf(one, target.ip)));
    const attack = await mitigated(target, [vector]);
    const found = open ? { answered: await requests(target.ip), mbps: await open } : await use(target.ip);
    show(name, seconds(attack), found);
    restored(name, found);
    if (name === 'syn_flood' || (SYN_PROXY && vector === 'syn_flood'))
      assert.ok(found.answered >= RESTORED * REQUESTS, 'there is room for others');
    await flooding;
  }

  const mixed = more.shift()!;
  const soFar: string[] = [];
  for (const name of ['dns_amplification', 'icmp_flood', 'udp_flood']) {
    soFar.push(name);
    flooding = flood(VECTORS[name]!.map((one) => frameOf(one, mixed.ip)));
    await mitigated(mixed, soFar);
    const found = await use(mixed.ip);
    show(`mix, now ${name}`, '', found);
    restored(`mix, ${name}`, found);
    await flooding;
  }

  // Each packet goes to the next address, as in real carpet bombing.
  flooding = flood(VECTORS.udp_flood!.flatMap((one) => more.map(({ ip }) => frameOf(one, ip))));
  const attacks = await Promise.all(more.map((target) => mitigated(target, ['udp_flood'])));
  const found = await use(more[0]!.ip);
  show(`carpet of ${CARPET}, each below`, seconds(attacks.at(-1)), found);
  restored('carpet', found);
  await flooding;
  t.diagnostic(`link ${LINK_MBPS} Mbit/s, floods of up to ${Math.round(fastest)} Mbit/s`);
});
