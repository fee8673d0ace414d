import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NftablesGateway } from '../../server/gateway/nftables/nftables.ts';
import { changeBatch, forwardsOf, rebuildBatch } from '../../server/gateway/nftables/table.ts';
import { loadGatewayAllowance } from '../../server/helpers/gateway/allowance.ts';
import { OPERATIONS, perform } from '../../server/helpers/gateway/operations.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';
import { RecordingGateway } from './support/recorder.ts';

const forward = (change: object = {}) => ({
  protocol: 'tcp' as const,
  publicIp: '192.0.2.10',
  externalPort: 20_022,
  internalIp: '100.64.0.2',
  internalPort: 22,
  ...change,
});

const ADDRESSES = ['1.2.3.4; flush ruleset', '1.2.3.4\n', 'example.com', '::1', '203.0.113.010', '', 7, null];
const PORTS = [0, 65_536, 1.5, -1, '22', '22 }; flush ruleset', null];
const HOSTILE = {
  protocol: ['icmp', 'tcp }', '', null],
  publicIp: ADDRESSES,
  internalIp: ADDRESSES,
  externalPort: PORTS,
  internalPort: PORTS,
  more: [1],
};
const INVALID = { name: 'InvalidArgumentError' };

test('the helper only runs the operations on its list, with well-formed arguments', async () => {
  const gateway = new RecordingGateway();
  const parts = { gateway, altered: async () => true };
  for (const name of ['exec', 'constructor', '__proto__', 'toString', ''])
    await assert.rejects(perform(parts, name, {}), INVALID);
  for (const name of Object.keys(OPERATIONS)) {
    await assert.rejects(perform(parts, name, { more: 1 }), INVALID);
    await assert.rejects(perform(parts, name, null), INVALID);
  }
  for (const [field, values] of Object.entries(HOSTILE)) {
    for (const value of values) {
      const given = { forwards: [forward(), forward({ externalPort: 20_023, [field]: value })] };
      const message = field === 'more' ? /^forwards\.1: / : new RegExp(`^forwards\\.1\\.${field}: `);
      await assert.rejects(perform(parts, 'apply', given), { ...INVALID, message });
    }
  }
  assert.deepEqual(gateway.applied, []);
  await perform(parts, 'apply', { forwards: [forward()] });
  assert.deepEqual(gateway.applied, [[forward()]]);
});

test('a request that the host does not allow is refused before anything is run', async () => {
  const gateway = new NftablesGateway({
    publicPorts: [{ address: '192.0.2.10', ports: '20000-20999' }],
    guestPrefixes: ['100.64.0.0/14'],
    clock: systemClock,
  });
  for (const [field, change] of Object.entries({
    publicIp: { publicIp: '192.0.2.11' },
    externalPort: { externalPort: 21_000 },
    internalIp: { internalIp: '10.0.0.1' },
  })) {
    const refusal = { ...INVALID, message: new RegExp(`^forwards\\.1\\.${field}: is not allowed`) };
    await assert.rejects(
      gateway.applyForwards([forward(), forward({ externalPort: 20_023, ...change })]),
      refusal,
    );
  }
  const twice = [forward({ protocol: 'tcp_udp' }), forward({ protocol: 'udp' })];
  await assert.rejects(
    gateway.applyForwards(twice),
    /^InvalidArgumentError: forwards\.1\.externalPort: .* already/,
  );
});

test("the helper's configuration is refused if it is wrong or others may write it", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-gateway-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'gateway.yaml');
  const load = async (text: string, mode = 0o644) => {
    await writeFile(file, text);
    await chmod(file, mode);
    return loadGatewayAllowance(file);
  };
  const good = 'guest_prefixes: [100.64.0.0/14]\nforwards: [{ address: 192.0.2.10, ports: 20000-59999 }]\n';
  assert.deepEqual(await load(good), {
    guest_prefixes: ['100.64.0.0/14'],
    forwards: [{ address: '192.0.2.10', ports: '20000-59999' }],
  });
  await assert.rejects(load(good, 0o646), /only its owner may be able to write it/);
  await assert.rejects(load('guest_prefixes: [100.64.0.0/14]\n'), /arguments: .*forwards/);
  await assert.rejects(load(good.replace('192.0.2.10', '127.0.0.1')), /forwards\.0\.address/);
  await assert.rejects(load(good.replace('20000-59999', '20000-1')), /forwards\.0\.ports/);
  await assert.rejects(load(good.replace('100.64.0.0/14', '100.64.0.1/14')), /guest_prefixes\.0/);
  await assert.rejects(load(good.replace('100.64.0.0/14', '"2001:db8::/32"')), /needs an IPv4 network/);
  await assert.rejects(load(`${good}more: 1\n`), /additional properties: more/);
});

test('a batch changes what differs and nothing else', () => {
  const held = forwardsOf([
    forward(),
    forward({ protocol: 'tcp_udp', externalPort: 20_053, internalPort: 53 }),
  ]);
  assert.deepEqual(changeBatch(held, held), []);
  const wanted = forwardsOf([
    forward({ internalIp: '100.64.0.3' }),
    forward({ externalPort: 20_053, internalPort: 53 }),
    forward({ externalPort: 20_080, internalPort: 80 }),
  ]);
  const at = 'ip vauban-gateway forwards';
  assert.deepEqual(changeBatch(held, wanted), [
    `delete element ${at} { 192.0.2.10 . tcp . 20022 }`,
    `delete element ${at} { 192.0.2.10 . udp . 20053 }`,
    `add element ${at} { 192.0.2.10 . tcp . 20022 : 100.64.0.3 . 22 }`,
    `add element ${at} { 192.0.2.10 . tcp . 20080 : 100.64.0.2 . 80 }`,
  ]);
  const all = rebuildBatch({ publicPorts: [], guestPrefixes: ['100.64.0.0/14'] }, wanted);
  assert.deepEqual(all.slice(0, 2), ['add table ip vauban-gateway', 'delete table ip vauban-gateway']);
  assert.equal(all.filter((line) => line.startsWith('add element')).length, wanted.size);
});
