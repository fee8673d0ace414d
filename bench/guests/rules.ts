// Measures the time to rebuild the rules of many guests, compared with nft loading the same text.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkPolicy } from '../../server/compute/driver.ts';
import type { NetworkGuest } from '../../server/compute/qemu/network/network.ts';
import { reassertBatch } from '../../server/compute/qemu/routed/batch.ts';
import { cardOf } from '../../server/compute/qemu/routed/card.ts';
import { tapName } from '../../server/compute/qemu/routed/names.ts';
import { RoutedNetwork } from '../../server/compute/qemu/routed/routed.ts';
import { UPLINK } from '../../test/qemu/support/site.ts';
import { atMost } from '../report.ts';
import { compare } from '../statistics.ts';
import { carryOut } from './inside.ts';

const GUESTS = 1_000;
const RULES = 10;
const ROUNDS = 5;
/** Counters are read first, and thousands of routes are checked, which nft does not do. */
const MAXIMUM_RATIO = 3.5;

const policy: NetworkPolicy = {
  defaultIn: 'drop',
  defaultOut: 'accept',
  portForwards: [],
  firewall: Array.from({ length: RULES }, (_, n) => ({
    direction: 'in',
    action: 'accept',
    protocol: 'tcp',
    ports: `${8000 + n}`,
    cidrs: [`10.${n}.0.0/16`],
  })),
};

function guest(n: number): NetworkGuest {
  const hex = n.toString(16).padStart(4, '0');
  return {
    id: `vm_${String(n).padStart(26, '0')}`,
    mac: `52:54:00:00:${hex.slice(0, 2)}:${hex.slice(2)}`,
    addresses: [
      { address: `100.64.${n >> 8}.${n & 255}`, family: 4, prefix: 16, gateway: '100.64.255.254' },
      { address: `2001:db8:1::${(n + 1).toString(16)}`, family: 6, prefix: 64, gateway: '2001:db8:1::ffff' },
    ],
    directory: '/nowhere',
  };
}

async function rate(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (60 * 1000) / (performance.now() - startedAt);
}

carryOut(async (_, { workspace }) => {
  const guests = Array.from({ length: GUESTS }, (_, n) => ({ guest: guest(n + 1), policy }));
  // As on a host with running guests, so that their routes are checked too.
  const taps = guests.map(({ guest: { id } }) => `tuntap add dev ${tapName(id)} mode tap\n`);
  execFileSync('ip', ['-batch', '-'], { input: taps.join('') });
  const entries = guests.map(({ guest }) => ({ id: guest.id, card: cardOf(guest, policy), policy }));
  const file = join(workspace, 'batch.nft');
  writeFileSync(file, `${reassertBatch(UPLINK, entries, new Map()).join('\n')}\n`);
  const network = new RoutedNetwork({ uplink: UPLINK });
  const ours = () => rate(() => network.reassert(guests));
  const nft = () => rate(() => execFileSync('nft', ['-f', file]));
  await ours();
  const { ratio, a, b } = await compare(ROUNDS, ours, nft);
  const about = `rules of ${GUESTS.toLocaleString('en')} VMs made anew ÷ nft with the same text`;
  return [atMost(about, MAXIMUM_RATIO, 1 / ratio, '×', `${a} and ${b} times a minute`)];
});
