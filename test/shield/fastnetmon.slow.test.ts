// Needs: root, FastNetMon, nftables.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { frameOf } from '../edge/support/frames.ts';
import { EdgeNetwork, whyNot } from '../edge/support/network.ts';
import { protect } from '../edge/support/protected.ts';
import { startService } from '../support/service.ts';
import { REPOSITORY } from '../support/source.ts';
// Takes minutes on a busy machine, so run it manually: npm test -- test/shield/fastnetmon.slow.test.ts
import { startFastnetmon, whyNoFastnetmon } from './fastnetmon.ts';

const PPS = 5_000;
const LOOK_EVERY_MS = 100;

test('a ban of a real FastNetMon is an attack with a rule, and its end the end', {
  skip: whyNot() || whyNoFastnetmon(),
}, async (t) => {
  const network = await EdgeNetwork.open(t);
  // The traffic does not pass through this service, so its edge sees nothing.
  const service = await startService(t, { env: { VAUBAN_EDGE: 'simulator' } });
  const { customer, ip, events, rules } = await protect(service, { mbps: 100 });
  await network.edge.ip(`route replace blackhole ${ip}/32`);
  await startFastnetmon(t, network.edge, {
    device: 'e0',
    networks: [`${ip}/32`],
    pps: 1_000,
    mbps: 100,
    script: `#!/bin/sh\nexec ${join(REPOSITORY, 'deploy/fastnetmon/notify')} "$@"\n`,
    env: {
      VAUBANCTL: join(REPOSITORY, 'node_modules/.bin/vaubanctl'),
      VAUBAN_DATA_DIR: dirname(service.operatorSocket),
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    },
  });
  const frame = frameOf(
    {
      protocol: 17,
      source: '198.51.100.7',
      sourcePort: 53,
      destinationPort: 4_000,
      length: 1_000,
      flags: [],
      fragment: 'none',
    },
    ip,
  );
  let isNoticed = false;
  const flood = async () => {
    while (!isNoticed) await network.stream([frame], PPS, PPS);
  };
  const flooding = flood();
  type Attack = {
    id: string;
    status: string;
    vectors: string[];
    mitigated_at: string | null;
    reason: string;
  };
  const attacks = (): Promise<Attack[]> => customer.ask('GET', events);
  // The packets that reveal the port come a second after the ban.
  const isNamed = ([attack]: Attack[]) =>
    attack?.mitigated_at && attack.vectors.includes('dns_amplification');
  while (!isNamed(await attacks())) await sleep(LOOK_EVERY_MS);
  isNoticed = true;
  await flooding;
  const [attack] = await attacks();
  assert.match(attack!.reason, /^Reported: \d+ packets\/s/);
  const written = await customer.ask('GET', rules);
  assert.ok(
    written.some(
      ({ origin, source_ports: [port] }: { origin: string; source_ports: string[] }) =>
        origin === 'automatic' && port === '53',
    ),
  );
  while ((await attacks()).some(({ status }) => status === 'ongoing')) await sleep(LOOK_EVERY_MS);
});
