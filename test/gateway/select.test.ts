import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { selectGateway } from '../../server/gateway/select.ts';
import { perform } from '../../server/helpers/gateway/operations.ts';
import { serveHelper } from '../../server/helpers/serve.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { defer } from '../support/cleanup.ts';
import { RecordingGateway } from './support/recorder.ts';

const parts = {
  regions: [
    { code: 'a', port_forward_address: '192.0.2.10', port_forward_range: { from: 20_000, to: 59_999 } },
    { code: 'b', port_forward_address: '192.0.2.20', port_forward_range: { from: 20_000, to: 59_999 } },
  ],
  engineForwards: false,
  countForwards: async () => 0,
};

async function helper(t: TestContext, gateway: RecordingGateway): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-gateway-'));
  const path = join(directory, 'gateway.sock');
  const server = await serveHelper(
    (name, given) => perform({ gateway, altered: async () => false }, name, given),
    {
      path,
      clock: systemClock,
      logger: createLogger({ logLevel: 'silent' }),
    },
  );
  defer(t, async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return path;
}

test("a gateway follows the configuration, and customers' existing forwards are not forgotten", async () => {
  const none = { gateway: 'off', gatewayHelper: undefined } as const;
  assert.equal((await selectGateway(none, parts)).capabilities().forwards, 'nowhere');
  const elsewhere = await selectGateway({ ...none, gateway: 'elsewhere' }, parts);
  assert.equal(elsewhere.capabilities().forwards, 'elsewhere');
  const forwarded = { ...parts, countForwards: async () => 2 };
  await assert.rejects(selectGateway(none, forwarded), /^ConfigError: VAUBAN_GATEWAY: 2 ports are forwarded/);
  await selectGateway(none, { ...forwarded, engineForwards: true });
  await selectGateway({ ...none, gateway: 'elsewhere' }, forwarded);
});

test('nftables must exist, work, and be allowed to forward the ports in the catalog', async (t) => {
  const select = (gatewayHelper?: string) => selectGateway({ gateway: 'nftables', gatewayHelper }, parts);
  await assert.rejects(
    select(),
    /^ConfigError: VAUBAN_GATEWAY_HELPER: is required with VAUBAN_GATEWAY=nftables/,
  );
  await assert.rejects(
    select('/nowhere/gateway.sock'),
    /^UnavailableError: VAUBAN_GATEWAY_HELPER: .*start vauban-gateway/,
  );
  const recorder = new RecordingGateway();
  const socket = await helper(t, recorder);
  const works = await select(socket);
  assert.deepEqual(works.capabilities(), recorder.can);
  await works.close();
  for (const [ports, reason] of [
    [[{ address: '192.0.2.30', ports: '1-65535' }], 'allows no port_forward_address'],
    [[{ address: '192.0.2.10', ports: '20000-20999' }], 'does not allow all of the port_forward_range of a'],
  ] as const) {
    recorder.can = { ...recorder.can, publicPorts: ports };
    await assert.rejects(select(socket), new RegExp(`^ConfigError: VAUBAN_GATEWAY: .*${reason}`));
  }
  recorder.probe = async () => ({ ok: false, summary: 'no kernel' });
  await assert.rejects(
    select(socket),
    /^ConfigError: VAUBAN_GATEWAY: nftables does not work here: no kernel/,
  );
});
