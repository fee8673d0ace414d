import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocks, limits } from '../../server/edge/contract-harness.ts';
import { type EdgeDriver, type EdgeTarget, EdgeUnavailableError } from '../../server/edge/driver.ts';
import { NftablesEdge } from '../../server/edge/nftables/nftables.ts';
import { requireRoom } from '../../server/edge/nftables/requests.ts';
import { loadEdgeAllowance } from '../../server/helpers/edge/allowance.ts';
import {
  type EdgeHelperParts,
  MAX_TARGETS,
  OPERATIONS,
  perform,
} from '../../server/helpers/edge/operations.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';

const INJECTIONS = [
  '1.2.3.4; flush ruleset',
  '1.2.3.4\n',
  'example.com',
  '::ffff:203.0.113.10',
  '203.0.113.010',
  '',
  7,
];
const IDS = ['a b', 'tgt_1"; }', 'tgt_1\n', '-rf', 'a/b', 'x'.repeat(64), '', null];

const target = (): EdgeTarget => ({
  id: 'tgt_1',
  ip: '203.0.113.9',
  family: 4,
  rules: [
    blocks('rul_1', {
      protocol: 'tcp',
      packetLength: { min: 1, max: 2 },
      tcpFlags: { set: ['syn'], unset: [] },
    }),
    limits('rul_2', { source: '192.0.2.0/24', sourcePorts: ['53'], destinationPorts: ['1-2'] }, 5),
  ],
});

const HOSTILE: [path: string, values: unknown[]][] = [
  ['id', IDS],
  ['ip', [...INJECTIONS, '203.0.113.0/24']],
  ['family', [5, '4', null]],
  ['more', ['anything']],
  ['rules', [{}, null, Array(1_001).fill(target().rules[0])]],
  ['rules.0.id', IDS],
  ['rules.0.action', ['accept', 'drop; flush ruleset']],
  ['rules.0.more', [1]],
  ['rules.0.rate', [{ unit: 'pps', value: 5 }]],
  ['rules.1.id', ['rul_1']],
  [
    'rules.1.rate',
    [
      null,
      { unit: 'pps', value: 0 },
      { unit: 'pps; drop', value: 5 },
      { unit: 'pps', value: 1.5 },
      { unit: 'pps', value: 5, synProxy: false },
    ],
  ],
  ['rules.0.match.protocol', ['sctp', '6 accept', 256, -1, null]],
  ['rules.0.match.packetLength', [{ min: -1, max: 2 }, { min: '1 accept', max: 2 }, { min: 1 }]],
  [
    'rules.0.match.tcpFlags',
    [
      { set: ['ece'], unset: [] },
      { set: ['syn } drop'], unset: [] },
    ],
  ],
  ['rules.0.match.fragments', ['some', 'any accept']],
  ['rules.1.match.source', [...INJECTIONS, '192.0.2.1/24', '192.0.2.0/33', 'localhost/8']],
  ['rules.1.match.sourcePorts', [['0'], ['53 }'], ['2-1'], [53], ['65536'], Array(65).fill('53')]],
  ['rules.1.match.destinationPorts.0', ['http', '1-2-3', '']],
];

/** Returns a copy of the value with one part replaced. */
function withPart(value: object, path: string, part: unknown): unknown {
  const copy = structuredClone(value);
  const steps = path.split('.');
  const last = steps.pop()!;
  const holder = steps.reduce((at: Record<string, unknown>, step) => at[step] as never, copy as never);
  holder[last] = part;
  return copy;
}

/** An edge on which nothing may be done. */
function untouched(): { parts: EdgeHelperParts; calls: string[] } {
  const calls: string[] = [];
  const edge = new Proxy({} as EdgeDriver, {
    get: (_, name) => async () => void calls.push(String(name)),
  });
  return { parts: { edge, altered: async () => true }, calls };
}

test('the helper only runs the operations on its list', async () => {
  const { parts, calls } = untouched();
  for (const name of ['exec', 'constructor', '__proto__', 'toString', '']) {
    await assert.rejects(perform(parts, name, {}), { name: 'InvalidArgumentError' });
  }
  for (const name of Object.keys(OPERATIONS)) {
    await assert.rejects(perform(parts, name, { more: 1 }), { name: 'InvalidArgumentError' });
    await assert.rejects(perform(parts, name, null), { name: 'InvalidArgumentError' });
  }
  assert.deepEqual(calls, []);
  await perform(parts, 'put', { target: target() });
  await perform(parts, 'reconcile', { targets: [target()] });
  assert.deepEqual(calls, ['putTarget', 'reconcile']);
});

test('a malformed argument is refused with its field, and nothing is done', async () => {
  const { parts, calls } = untouched();
  for (const [path, values] of HOSTILE) {
    for (const value of values) {
      const bad = withPart(target(), path, value);
      const field = path.replace(/\.more$|^more$/, '');
      const named = (prefix: string) => ({
        name: 'InvalidArgumentError',
        message: new RegExp(`^${[prefix, field].filter(Boolean).join('.').replaceAll('.', '\\.')}`),
      });
      const shown = `${path}: ${JSON.stringify(value)?.slice(0, 80)}`;
      await assert.rejects(perform(parts, 'put', { target: bad }), named('target'), shown);
      await assert.rejects(perform(parts, 'reconcile', { targets: [bad] }), named('targets.0'), shown);
    }
  }
  for (const id of IDS) {
    await assert.rejects(perform(parts, 'remove', { id }), { message: /^id: / });
    await assert.rejects(perform(parts, 'blackhole', { id, on: true }), { message: /^id: / });
    await assert.rejects(perform(parts, 'sample', { ids: [id] }), { message: /^ids\.0: / });
  }
  assert.deepEqual(calls, []);
});

test("an address that is not the host's to protect is refused before anything is run", async () => {
  const edge = new NftablesEdge({ devices: ['none0'], prefixes: ['203.0.113.0/24'], clock: systemClock });
  const outside = { ...target(), ip: '203.0.114.9' };
  const refusal = { name: 'InvalidArgumentError', message: /^target\.ip: is not in a network/ };
  await assert.rejects(edge.putTarget(outside), refusal);
  await assert.rejects(edge.reconcile([target(), outside]), { message: /^targets\.1\.ip: / });
  await assert.rejects(edge.putTarget({ ...target(), family: 6 }), { message: /^target\.family: / });
});

test("the helper's configuration names devices and networks, and is refused if others may write it", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-edge-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'edge.yaml');
  const load = async (text: string, mode = 0o644) => {
    await writeFile(file, text);
    await chmod(file, mode);
    return loadEdgeAllowance(file);
  };
  const good = 'devices: [eth0, bond0.100]\nprotected_prefixes: [203.0.113.0/24, "2001:db8::/32"]\n';
  assert.deepEqual(await load(good), {
    devices: ['eth0', 'bond0.100'],
    protected_prefixes: ['203.0.113.0/24', '2001:db8::/32'],
  });
  await assert.rejects(load(good, 0o646), /only its owner may be able to write it/);
  await assert.rejects(load('devices: [eth0]\n'), /protected_prefixes/);
  await assert.rejects(load(good.replace('eth0', '"eth0\\" }"')), /devices/);
  await assert.rejects(load(good.replace('203.0.113.0/24', '203.0.113.9/24')), /protected_prefixes/);
  await assert.rejects(load(`${good}more: 1\n`), /additional properties: more/);
});

test('a full edge takes no more targets, and can still change its own', () => {
  const held = new Map(Array.from({ length: MAX_TARGETS }, (_, number) => [`tgt_${number}`, {}]));
  assert.throws(() => requireRoom(held, { ...target(), id: 'tgt_more' }), EdgeUnavailableError);
  requireRoom(held, { ...target(), id: 'tgt_7' });
  held.delete('tgt_7');
  requireRoom(held, { ...target(), id: 'tgt_more' });
});
