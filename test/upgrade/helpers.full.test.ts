import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { HostClient } from '../../server/compute/qemu/host/client.ts';
import { blocks, limits } from '../../server/edge/contract-harness.ts';
import type { EdgeDriver, EdgeTarget } from '../../server/edge/driver.ts';
import type { GatewayDriver } from '../../server/gateway/driver.ts';
import type { serveHelper } from '../../server/helpers/serve.ts';
import { systemClock as clock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { guest, ID, policy, READING, recorder, spec, temporaryDirectory } from '../compute/host/support.ts';
import { RecordingGateway } from '../gateway/support/recorder.ts';
import { defer } from '../support/cleanup.ts';
import { REPOSITORY } from '../support/source.ts';
import { unpackLastRelease } from './support/last-release.ts';

/** The modules of a release, at one of these paths: those of this release, and of the last one that had others. */
const MODULES = {
  serve: ['server/helpers/serve.ts', 'server/platform/helper/serve.ts'],
  'host operations': ['server/helpers/host/operations.ts', 'server/compute/qemu/host/operations.ts'],
  'host client': ['server/compute/qemu/host/client.ts'],
  'edge operations': ['server/helpers/edge/operations.ts', 'server/edge/nftables/helper/operations.ts'],
  'edge client': ['server/edge/nftables/client.ts', 'server/edge/nftables/helper/client.ts'],
  'gateway operations': [
    'server/helpers/gateway/operations.ts',
    'server/gateway/nftables/helper/operations.ts',
  ],
  'gateway client': ['server/gateway/nftables/client.ts', 'server/gateway/nftables/helper/client.ts'],
};

async function load<Exports>(release: string, name: keyof typeof MODULES): Promise<Exports> {
  const path = MODULES[name].find((one) => existsSync(join(release, one)));
  assert.ok(path, `${name} is not in ${release}`);
  return import(join(release, path));
}

type Perform = (parts: object, operation: string, given: unknown) => Promise<unknown>;

/** Serves a helper's operations as one release does, and returns its client of another release. */
async function connected<Client>(
  t: TestContext,
  [helper, service]: [helper: string, service: string],
  name: 'host' | 'edge' | 'gateway',
  parts: object,
): Promise<Client> {
  const path = join(await temporaryDirectory(t), `${name}.sock`);
  const { perform } = await load<{ perform: Perform }>(helper, `${name} operations`);
  const { serveHelper: serve } = await load<{ serveHelper: typeof serveHelper }>(helper, 'serve');
  const logger = createLogger({ logLevel: 'info' }, { write: () => {} });
  const server = await serve((operation, given) => perform(parts, operation, given), { path, clock, logger });
  defer(t, () => server.close());
  const exports = await load<Record<string, new (path: string) => Client>>(service, `${name} client`);
  const [Client] = Object.values(exports);
  const client = new Client!(path);
  defer(t, () => (client as { close(): Promise<void> }).close());
  return client;
}

const TARGET: EdgeTarget = {
  id: 'tgt_1',
  ip: '203.0.113.9',
  family: 4,
  rules: [blocks('rul_1', { protocol: 'udp', sourcePorts: ['53'] }), limits('rul_2', { protocol: 'tcp' }, 5)],
};
const FORWARD = {
  protocol: 'tcp_udp' as const,
  publicIp: '192.0.2.10',
  externalPort: 20_022,
  internalIp: '100.64.0.2',
  internalPort: 22,
};

for (const [name, order] of Object.entries({
  'a service of this release and helpers of the last': (last: string) => [last, REPOSITORY] as const,
  'a service of the last release and helpers of this': (last: string) => [REPOSITORY, last] as const,
})) {
  test(`${name} understand each other`, async (t) => {
    const pair: [string, string] = [...order(unpackLastRelease(t))];

    const { parts, calls } = recorder();
    const host = await connected<HostClient>(t, pair, 'host', parts);
    assert.deepEqual(await host.probe(), { ok: true, summary: 'recorded' });
    assert.equal(await host.attach(guest(), policy()), 'tap,id=net0');
    await host.apply(guest(), policy());
    assert.deepEqual(await host.reassert([{ guest: guest(), policy: policy() }]), [ID]);
    assert.deepEqual((await host.counters([ID])).get(ID), READING);
    assert.deepEqual(await host.users(), parts.users);
    assert.equal(await host.launch(spec()), 4711);
    assert.equal(await host.image({ ...guest(), uid: spec().uid }, { do: 'info' }), '{}');
    await host.kill(spec());
    assert.equal(await host.altered(new AbortController().signal), true);
    await host.detach(ID);
    assert.deepEqual(
      calls.map(([call]) => call),
      ['probe', 'attach', 'apply', 'reassert', 'counters', 'launch', 'image', 'kill', 'altered', 'detach'],
    );
    const refused = host.attach({ ...guest(), mac: 'x' }, policy());
    await assert.rejects(refused, { name: 'InvalidArgumentError', message: /^guest\.mac: / });

    const asked: string[] = [];
    const receipt = { targets: 1, rules: 2 };
    const reading = { epoch: 'one', at: clock.now(), rows: [] };
    const answers: Record<string, unknown> = {
      capabilities: { prefixes: ['203.0.113.0/24'], synProxy: true },
      probe: { ok: true, summary: 'recorded' },
      reconcile: receipt,
      putTarget: receipt,
      readTotals: reading,
      readDetail: reading,
      readRuleCounters: reading,
      readPortSamples: [],
    };
    const recording = new Proxy({} as EdgeDriver, {
      get: (_, call: string) => () => {
        asked.push(call);
        return call === 'capabilities' ? answers[call] : Promise.resolve(answers[call]);
      },
    });
    const altered = async () => true;
    const edge = await connected<EdgeDriver>(t, pair, 'edge', { edge: recording, altered });
    assert.deepEqual(await edge.probe(), answers.probe);
    assert.deepEqual(edge.capabilities().prefixes, ['203.0.113.0/24']);
    assert.deepEqual(await edge.reconcile([TARGET]), receipt);
    assert.deepEqual(await edge.putTarget(TARGET), receipt);
    assert.deepEqual(await edge.readTotals(), reading);
    assert.deepEqual(await edge.readDetail(['tgt_1']), reading);
    assert.deepEqual(await edge.readRuleCounters(['tgt_1']), reading);
    await edge.startPortSample(['tgt_1']);
    assert.deepEqual(await edge.readPortSamples(['tgt_1']), []);
    await edge.blackhole('tgt_1', true);
    await edge.removeTarget('tgt_1');
    assert.deepEqual(asked.slice(2), [
      'reconcile',
      'putTarget',
      'readTotals',
      'readDetail',
      'readRuleCounters',
      'startPortSample',
      'readPortSamples',
      'blackhole',
      'removeTarget',
    ]);

    const forwards = new RecordingGateway();
    const gateway = await connected<GatewayDriver>(t, pair, 'gateway', { gateway: forwards, altered });
    assert.equal((await gateway.probe()).ok, true);
    await gateway.applyForwards([FORWARD]);
    assert.deepEqual(forwards.applied, [[FORWARD]]);
    assert.deepEqual(gateway.capabilities().publicPorts, forwards.can.publicPorts);
  });
}
