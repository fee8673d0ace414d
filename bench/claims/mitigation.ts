import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Namespace } from '../../test/compute/routed/support/namespace.ts';
import { frameOf } from '../../test/edge/support/frames.ts';
import { EdgeNetwork, whyNot } from '../../test/edge/support/network.ts';
import { protect } from '../../test/edge/support/protected.ts';
import { startFastnetmon, whyNoFastnetmon } from '../../test/shield/fastnetmon.ts';
import type { Lifetime } from '../../test/support/cleanup.ts';
import { startService } from '../../test/support/service.ts';
import { type Bench, makePlace, type Section } from '../bench.ts';
import { during } from '../lifetime.ts';
import { atMost, leftOut } from '../report.ts';
import { median } from '../statistics.ts';

const ROUNDS = 7;
/** Size of a packet on the wire in bytes, and packets per second. */
const FRAME_BYTES = 1_014;
const FLOOD_PPS = 20_000;
const FLOOD_SECONDS = 5;
/** The threshold above which both detect an attack. */
const THRESHOLD_MBPS = 50;
const MAXIMUM_RATIO = 0.5;
const LOOK_MS = 2;
/** After this long without a packet, no more are expected to get through. */
const QUIET_MS = 1_000;
const BANS = 'bench-fastnetmon';
/** FastNetMon's fastest method: the kernel drops packets to addresses in a set, and the ban adds an address to it. */
const BAN = `#!/bin/sh
[ "$4" != ban ] || exec nft add element netdev ${BANS} banned "{ $1 }"
`;

export const mitigation: Section = {
  name: 'mitigation',
  about: 'the same flood met by the shield and by FastNetMon: until it is dropped, and what got through',
  async run(bench) {
    const why = whyNot() || whyNoFastnetmon();
    if (why) return [leftOut('the shield ÷ FastNetMon', why)];
    return during(async (life) => {
      const [ours, theirs] = [await openShield(bench, life), await openFastnetmon(life)];
      const rounds: { ours: Leak; theirs: Leak }[] = [];
      for (let round = 0; round < ROUNDS; round++)
        rounds.push({
          ours: await flood(ours, ours.addresses[round]!),
          theirs: await flood(theirs, theirs.addresses[round]!),
        });
      const claim = (what: string, unit: string, of: (leak: Leak) => number) => {
        const ratio = median(rounds.map((round) => of(round.ours) / of(round.theirs)));
        const [a, b] = (['ours', 'theirs'] as const).map((who) =>
          median(rounds.map((round) => of(round[who]))),
        );
        return atMost(
          `${what}, the shield ÷ FastNetMon`,
          MAXIMUM_RATIO,
          ratio,
          '×',
          `${a!.toFixed(0)} and ${b!.toFixed(0)} ${unit}`,
        );
      };
      return [
        claim('from the first packet of a flood to the last that gets through', 'ms', ({ ms }) => ms),
        claim(`packets that get through, of ${FLOOD_PPS} a second`, 'packets', ({ packets }) => packets),
      ];
    });
  },
};

/** A defender at a separate edge, and the addresses behind it, each of which is flooded once. */
interface Defender {
  network: EdgeNetwork;
  victim: ChildProcess;
  addresses: string[];
}

interface Leak {
  ms: number;
  packets: number;
}

async function openShield(bench: Bench, life: Lifetime): Promise<Defender> {
  const network = await openNetwork(life);
  const place = await makePlace(bench, bench.engines[0]!);
  const env = { VAUBAN_EDGE: 'nftables', VAUBAN_EDGE_HELPER: network.socket };
  const service = await startService(life as never, { location: { env: { ...place } } as never, env });
  const addresses: string[] = [];
  for (let round = 0; round < ROUNDS; round++)
    addresses.push((await protect(service, { mbps: THRESHOLD_MBPS })).ip);
  return { network, victim: holdOpen(life, network.victim), addresses };
}

async function openFastnetmon(life: Lifetime): Promise<Defender> {
  const network = await openNetwork(life);
  const addresses = Array.from({ length: ROUNDS }, (_, n) => `100.64.9.${n + 1}`);
  await network.edge.run(
    'nft',
    `table netdev ${BANS} { set banned { type ipv4_addr; }
      chain in { type filter hook ingress device "e0" priority -700; ip daddr @banned counter drop; }; }`,
  );
  await startFastnetmon(life, network.edge, {
    device: 'e0',
    networks: addresses.map((address) => `${address}/32`),
    pps: FLOOD_PPS / 4,
    mbps: THRESHOLD_MBPS,
    script: BAN,
  });
  return { network, victim: holdOpen(life, network.victim), addresses };
}

async function openNetwork(life: Lifetime): Promise<EdgeNetwork> {
  const network = await EdgeNetwork.open(life);
  await network.pace((FLOOD_PPS * FRAME_BYTES * 8) / 1e6);
  return network;
}

/** Starts a process in the namespace, through which the counters of its devices can be read. */
function holdOpen(life: Lifetime, space: Namespace): ChildProcess {
  const [program, args] = space.command('sleep', 'infinity');
  const child = spawn(program, args, { stdio: 'ignore' });
  life.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

/** Returns the number of packets that have reached the victim. */
function arrived({ pid }: ChildProcess): number {
  const line = readFileSync(`/proc/${pid}/net/dev`, 'utf8')
    .split('\n')
    .find((one) => one.trim().startsWith('v0:'))!;
  return Number(line.split(':')[1]!.trim().split(/\s+/)[1]);
}

/** Floods an address for some seconds and measures what gets through to the victim. */
async function flood({ network, victim }: Defender, address: string): Promise<Leak> {
  const packet = { protocol: 17, source: '198.51.100.7', sourcePort: 53, destinationPort: 4_000 } as const;
  const frame = frameOf({ ...packet, length: FRAME_BYTES - 14, flags: [], fragment: 'none' }, address);
  const before = arrived(victim);
  let isOver = false;
  const flooding = network.paced([frame], FLOOD_PPS * FLOOD_SECONDS).finally(() => {
    isOver = true;
  });
  const at = { first: 0, last: 0, count: before };
  while (!isOver || performance.now() - at.last < QUIET_MS) {
    const count = arrived(victim);
    const now = performance.now();
    if (count > at.count) {
      at.first ||= now;
      [at.last, at.count] = [now, count];
    }
    await sleep(LOOK_MS);
  }
  await flooding;
  if (at.count - before >= FLOOD_PPS * FLOOD_SECONDS)
    throw new Error(`the flood of ${address} was not dropped`);
  return { ms: at.last - at.first, packets: at.count - before };
}
