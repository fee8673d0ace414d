import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { NetworkPolicy } from '../../../server/compute/driver.ts';
import type { NetworkGuest } from '../../../server/compute/qemu/network/network.ts';
import {
  type Entry,
  reassertBatch,
  removeBatch,
  updateBatch,
} from '../../../server/compute/qemu/routed/batch.ts';
import { cardOf } from '../../../server/compute/qemu/routed/card.ts';
import { routeLines } from '../../../server/compute/qemu/routed/links.ts';
import { netdevOf, tapName } from '../../../server/compute/qemu/routed/names.ts';
import { baseTable } from '../../../server/compute/qemu/routed/table.ts';

/** To update after a change of the table: node --test --test-update-snapshots test/compute/routed/batches.test.ts */
function golden(t: TestContext, name: string, lines: string[]): void {
  const path = join(import.meta.dirname, 'golden', name);
  t.assert.fileSnapshot(`${lines.join('\n')}\n`, path, {
    serializers: [(value: unknown) => value as string],
  });
}

const guest: NetworkGuest = {
  id: 'vm_06f3k0000000000000000000a1',
  mac: '52:54:00:12:34:56',
  addresses: [
    { address: '203.0.113.10', family: 4, prefix: 24, gateway: '203.0.113.1' },
    { address: '2001:DB8:1:0::A', family: 6, prefix: 48, gateway: '2001:db8:1::1' },
  ],
  directory: '/var/lib/vauban/guests/vm_06f3k0000000000000000000a1',
};
const forward = { publicIp: '192.0.2.10', internalIp: '203.0.113.10' };
const policy: NetworkPolicy = {
  defaultIn: 'drop',
  defaultOut: 'accept',
  firewall: [
    { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['0.0.0.0/0', '::/0'] },
    {
      direction: 'in',
      action: 'drop',
      protocol: 'udp',
      ports: '1024-5000',
      cidrs: ['10.0.0.0/8', '10.1.0.0/16', '192.0.2.0/24'],
    },
    {
      direction: 'in',
      action: 'accept',
      protocol: 'any',
      ports: null,
      cidrs: ['2001:db8::/32', '198.51.100.7/32'],
    },
    { direction: 'in', action: 'accept', protocol: 'icmp', ports: null, cidrs: ['0.0.0.0/0', '::/0'] },
    { direction: 'in', action: 'accept', protocol: 'icmpv6', ports: null, cidrs: ['::/0'] },
    { direction: 'in', action: 'accept', protocol: 'esp', ports: null, cidrs: ['0.0.0.0/0'] },
    { direction: 'out', action: 'drop', protocol: 'tcp', ports: '25', cidrs: ['0.0.0.0/0', '::/0'] },
    { direction: 'out', action: 'accept', protocol: 'gre', ports: null, cidrs: ['192.0.2.0/24'] },
  ],
  portForwards: [
    { ...forward, protocol: 'tcp', externalPort: 20022, internalPort: 22 },
    { ...forward, protocol: 'tcp_udp', externalPort: 20053, internalPort: 53 },
  ],
};
const entryOf = (changes: Partial<NetworkPolicy> = {}): Entry => {
  const changed = { ...policy, ...changes };
  return { id: guest.id, card: cardOf(guest, changed), policy: changed };
};

test('the input of nft and ip', (t) => {
  const entry = entryOf();
  const { card } = entry;
  golden(t, 'base.nft', baseTable('eth0'));
  golden(t, 'attach.nft', updateBatch(new Map(), entry));
  golden(t, 'routes.ip', routeLines(guest, card, 'eth0'));
  golden(t, 'detach.nft', removeBatch(card));
  const counts = new Map([
    ['spoofed', { packets: 3, bytes: 90 }],
    [`in-${card.tap}`, { packets: 7, bytes: 700 }],
    ['in-vau000000000000', { packets: 1, bytes: 1 }],
  ]);
  golden(t, 'reassert.nft', reassertBatch('eth0', [entry], counts));
});

test("a guest's update touches nothing but its own chains and what changed of its forwards", (t) => {
  const held = new Map([[tapName(guest.id), entryOf().card]]);
  golden(t, 'apply-rules.nft', updateBatch(held, entryOf({ firewall: [], defaultIn: 'accept' })));
  const moved = [{ ...policy.portForwards[0]!, internalPort: 2222 }];
  golden(t, 'apply-forwards.nft', updateBatch(held, entryOf({ firewall: [], portForwards: moved })));
});

test('an interface has a name that the kernel takes, the same every time, and another for another guest', () => {
  const names = new Set<string>();
  for (let number = 0; number < 20_000; number++) {
    const name = tapName(`vm_${number}`);
    assert.match(name, /^vau[0-9a-z]{12}$/);
    names.add(name);
  }
  assert.equal(names.size, 20_000);
  assert.equal(tapName(guest.id), tapName(guest.id));
  assert.equal(netdevOf(guest.id), `tap,id=net0,ifname=${tapName(guest.id)},script=no,downscript=no`);
});

test("a forward to another guest's address is refused", () => {
  const portForwards = [{ ...policy.portForwards[0]!, internalIp: '203.0.113.11' }];
  assert.throws(() => entryOf({ portForwards }), /policy\.portForwards\.0\.internalIp/);
});
