import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reassertBatch, removeBatch, updateBatch } from '../../../server/compute/qemu/routed/batch.ts';
import { cardOf } from '../../../server/compute/qemu/routed/card.ts';
import { checkTogether } from '../../../server/compute/qemu/routed/consistency.ts';
import { routeLines } from '../../../server/compute/qemu/routed/links.ts';
import { perform } from '../../../server/helpers/host/operations.ts';
import { checkGuestAndPolicy } from '../../../server/helpers/host/shapes.ts';
import { depth } from '../../support/depth.ts';
import { guest, ID, policy, recorder, spec } from './support.ts';

type Tree = Record<string | number, unknown>;

/** Returns a copy of `value` with the field at `path` replaced or removed. */
function changed(value: unknown, path: string, to: unknown): unknown {
  const copy = structuredClone(value);
  const steps = path.split('.');
  const last = steps.pop()!;
  let place = copy as Tree;
  for (const step of steps) place = place[step] as Tree;
  if (to === undefined) delete place[last];
  else place[last] = to;
  return copy;
}

const INJECTIONS = [
  '203.0.113.10 }; flush ruleset; #',
  '203.0.113.10\nflush ruleset',
  'localhost',
  '::ffff:203.0.113.10',
  'fe80::1%eth0',
  '203.0.113.010',
  '$(reboot)',
  '',
];
const IDS = ['../../etc', 'vm_1"; }', 'vm 1', 'vm_1\n', '-rf', 'x'.repeat(64), '', '.', 'vm/1'];
const MACS = [
  '52:54:00:12:34:5',
  '52:54:00:12:34:56, ff:ff:ff:ff:ff:ff',
  '53:54:00:12:34:56',
  '52:54:00:12:34:56\n',
  'eth0',
];
const PORTS = [0, 65_536, -1, 1.5, '22', '22 accept', null, Number.NaN];
const PATHS = [
  'guests',
  '/var/lib/../../etc',
  '/var//lib',
  '/var/lib/vauban\n',
  '/',
  `/${'x'.repeat(5_000)}`,
  '/a\0b',
  7,
];
const both = { guest: guest(), policy: policy() };

const HOSTILE: [operation: string, path: string, values: unknown[]][] = [
  ['attach', 'guest.id', IDS],
  ['attach', 'guest.mac', MACS],
  ['attach', 'guest.uid', [0, -1, 1.5, '1900000000 group 0', 2 ** 32]],
  ['attach', 'guest.addresses.0.address', INJECTIONS],
  ['attach', 'guest.addresses.1.gateway', INJECTIONS],
  ['attach', 'guest.addresses.0.family', [5, '4', null]],
  ['attach', 'guest.addresses', [undefined, {}, Array(65).fill(both.guest.addresses[0])]],
  ['attach', 'guest.directory', PATHS],
  ['attach', 'guest.more', ['anything']],
  ['attach', 'policy.defaultIn', ['reject', 'accept; flush ruleset', null]],
  ['apply', 'policy.firewall.0.direction', ['in; drop', 'both']],
  ['apply', 'policy.firewall.0.action', ['jump x', 'return']],
  ['apply', 'policy.firewall.0.protocol', ['sctp', 'tcp dport 1 accept; udp']],
  ['apply', 'policy.firewall.0.ports', ['0', '022', '22,23', '22-21', '1-65536', '22 }', 22, 'ssh', '22\n']],
  [
    'apply',
    'policy.firewall.0.cidrs.0',
    [...INJECTIONS, '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0', '0.0.0.0/0 }', 'localhost/8'],
  ],
  ['apply', 'policy.firewall.0.cidrs', [[], undefined, Array(101).fill('0.0.0.0/0')]],
  ['apply', 'policy.portForwards.0.publicIp', [...INJECTIONS, '2001:db8::1']],
  ['apply', 'policy.portForwards.0.internalIp', [...INJECTIONS, '2001:db8::1']],
  ['apply', 'policy.portForwards.0.externalPort', PORTS],
  ['apply', 'policy.portForwards.0.internalPort', PORTS],
  ['apply', 'policy.portForwards.0.protocol', ['icmp', 'tcp . 22 }']],
  ['reassert', 'guests.0.guest.id', IDS],
  ['reassert', 'guests', [null, 'all']],
  ['detach', 'id', IDS],
  ['counters', 'ids.0', IDS],
  ['launch', 'spec.id', IDS],
  ['launch', 'spec.uuid', ['', 'x', '0d5f1a52-3c8e-4b11-9d1e-0123456789ab,mac=1']],
  ['launch', 'spec.uid', [0, -1, 1.5, '1900000000', undefined, 2 ** 32]],
  ['launch', 'spec.directory', PATHS],
  ['launch', 'spec.accelerator', ['hax', 'tcg,tb-size=1']],
  ['launch', 'spec.hardware', [undefined, {}, 'q35']],
  ['launch', 'spec.hardware.machine', ['q35', 'pc-q35-7.2,accel=tcg', 'pc-q35-7.2\n', 'none', '']],
  ['launch', 'spec.hardware.cpu', ['max,+vmx', '-cpu', 'a b', '', 'max\n']],
  ['launch', 'spec.hardware.tablet', ['yes', undefined]],
  ['launch', 'spec.aio', ['native,filename=/etc/shadow', 'threads']],
  ['launch', 'spec.vcpu', [0, 1e9, '1,sockets=2']],
  ['launch', 'spec.ramMb', [0, 1e12, '128,slots=2']],
  ['launch', 'spec.mac', MACS],
  [
    'launch',
    'spec.netdev',
    ['user,id=net0', 'tap,id=net0,ifname=eth0,script=/tmp/x', `${spec().netdev},script=/tmp/x`],
  ],
  ['launch', 'spec.directBoot.kernel', PATHS],
  ['launch', 'spec.directBoot.append', ['a\nb', 'a\0b', 'x'.repeat(2_049)]],
  ['launch', 'spec.memory', ['memory', 1]],
  ['launch', 'spec.memory.file', PATHS],
  ['launch', 'spec.memory.shared', [true, undefined, 'off,mem-path=/x']],
  ['launch', 'spec.incoming', [false, 'exec:id']],
  ['launch', 'spec.program', ['/bin/sh']],
  ['kill', 'spec.directory', PATHS],
  ['kill', 'spec.uuid', ['', '*']],
  ['kill', 'spec.pid', [1]],
];

const GOOD: Record<string, unknown> = {
  attach: both,
  apply: both,
  reassert: { guests: [both] },
  altered: {},
  detach: { id: ID },
  counters: { ids: [ID] },
  launch: {
    spec: {
      ...spec(),
      memory: { file: `${spec().directory}/memory`, shared: false },
      incoming: true,
    },
  },
  kill: { spec: { id: ID, uuid: spec().uuid, directory: spec().directory } },
  probe: {},
  users: {},
};

test('good arguments reach the privileged parts', async () => {
  const { parts, calls } = recorder();
  for (const [operation, given] of Object.entries(GOOD)) await perform(parts, operation, given);
  assert.deepEqual(
    calls.map(([name]) => name),
    // The users of guests are known without asking either part.
    Object.keys(GOOD).filter((name) => name !== 'users'),
  );
});

test('hostile arguments are refused by the name of the field and reach nothing', async () => {
  const { parts, calls } = recorder();
  for (const [operation, path, values] of HOSTILE) {
    for (const value of values) {
      const about = `${operation} ${path} = ${JSON.stringify(value)}`;
      await assert.rejects(
        perform(parts, operation, changed(GOOD[operation], path, value)),
        (error: Error) => {
          assert.equal(error.name, 'InvalidArgumentError', `${about}: ${error.message}`);
          // The field itself, or its parent if the field must not exist at all.
          const field = error.message.slice(0, error.message.indexOf(': '));
          assert.ok(path.startsWith(field), `${about} names ${field}`);
          return true;
        },
      );
    }
  }
  for (const operation of ['', 'exec', '__proto__', 'constructor', 'toString', 'close', 'connect']) {
    await assert.rejects(perform(parts, operation, {}), /there is no operation/);
  }
  for (const given of [null, undefined, [], 'x', 7]) await assert.rejects(perform(parts, 'probe', given));
  assert.deepEqual(calls, []);
});

const forward = policy().portForwards[0]!;
/** Each has the right shape but contradicts another field. */
const CONTRADICTIONS: [path: string, value: unknown, field?: string][] = [
  ['guest.addresses.0.family', 6, 'guest.addresses.0.address'],
  ['guest.addresses.0.prefix', 33],
  ['guest.addresses.0.gateway', '2001:db8:1::1'],
  ['guest.addresses.1.gateway', '2001:db8:1:0::000a'],
  ['guest.addresses.1', guest().addresses[0], 'guest.addresses.1.address'],
  ...['127.0.0.1', '0.0.0.0', '169.254.169.254', '224.0.0.251', '240.0.0.1', '255.255.255.255'].map(
    (address): [string, unknown] => ['guest.addresses.0.address', address],
  ),
  ...['::', '::1', 'fe80::1', 'ff02::1', '::ffff:cb00:710a'].map((address): [string, unknown] => [
    'guest.addresses.1.address',
    address,
  ]),
  ...['icmp', 'icmpv6', 'esp', 'gre', 'any'].map((protocol): [string, unknown, string] => [
    'policy.firewall.0.protocol',
    protocol,
    'policy.firewall.0.ports',
  ]),
  ['policy.portForwards.0.publicIp', '127.0.0.53'],
  ['policy.portForwards.0.publicIp', '224.0.0.1'],
  ['policy.portForwards.1', { ...forward, internalPort: 23 }, 'policy.portForwards.1.externalPort'],
  ['policy.portForwards.1', { ...forward, protocol: 'tcp_udp' }, 'policy.portForwards.1.externalPort'],
];

test('fields that do not fit together are refused by the first of them', () => {
  checkTogether(both);
  for (const [path, value, field = path] of CONTRADICTIONS) {
    const given = changed(both, path, value);
    checkGuestAndPolicy(given);
    assert.throws(
      () => checkTogether(given),
      (error: Error) => error.name === 'InvalidArgumentError' && error.message.startsWith(`${field}: `),
      `${path} = ${JSON.stringify(value)}`,
    );
  }
});

/** The characters that a line for nft or ip may consist of, apart from quoted text that this project wrote. */
const LINE = /^[A-Za-z0-9_.:/*\- ,{}!=@<>+;"]*$/;

test('every accepted input makes plain lines, one statement each', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...INJECTIONS, ...IDS, ...MACS),
    fc.ipV4(),
    fc.ipV6(),
  );
  const paths = HOSTILE.filter(([operation]) => operation === 'attach' || operation === 'apply').map(
    ([, path]) => path,
  );
  const numRuns = depth(1_000, 3_000);
  let passed = 0;
  fc.assert(
    fc.property(fc.constantFrom(...paths), hostile, (path, value) => {
      const given = changed(both, path, value);
      try {
        checkGuestAndPolicy(given);
        checkTogether(given);
      } catch {
        return;
      }
      passed++;
      const { guest, policy } = given;
      let card: ReturnType<typeof cardOf>;
      try {
        card = cardOf(guest, policy);
      } catch {
        return;
      }
      const entry = { id: guest.id, card, policy };
      const lines = [
        ...updateBatch(new Map(), entry),
        ...removeBatch(card),
        ...reassertBatch('eth0', [entry], new Map()),
        ...routeLines(guest, card, 'eth0'),
      ];
      for (const line of lines) assert.match(line, LINE);
      // As many statements as for valid arguments: nothing was injected.
      assert.ok(lines.length <= 300);
    }),
    { numRuns },
  );
  // About 4 % are valid by chance. With far fewer, the property would check nothing.
  assert.ok(passed > numRuns / 60, `${passed} passed`);
});
