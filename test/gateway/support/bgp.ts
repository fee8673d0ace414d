import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Namespace } from '../../compute/routed/support/namespace.ts';
import { defer } from '../../support/cleanup.ts';
import { read } from '../../support/source.ts';
import { PUBLIC, type Takeover } from './region.ts';
import { running } from './running.ts';

/** Hold time of the neighbours' session, which detects that a gateway is cut off. */
const HOLD_SECONDS = 6;

/** Returns the documentation's configuration for a gateway of a test, with its service's socket. */
function configuration(index: number, operatorSocket: string): string {
  const text = read('deploy/exabgp/exabgp.conf').replaceAll(
    'http://127.0.0.1:8081/',
    `--unix-socket ${operatorSocket} http://localhost/`,
  );
  if (index === 0) return text;
  return text
    .replaceAll(/(198\.51\.100|10\.9\.0)\.11\b/g, '$1.12')
    .replaceAll('--up-metric 100 --down-metric 1000', '--up-metric 200 --down-metric 2000');
}

/** Gateways announce the addresses, and routers choose. */
export const bgp: Takeover = {
  async prepare(t, { client, gateways, hosts }) {
    await gateways[0]!.release();
    // Each gateway has the address, for traffic that is not forwarded; routers know which one is in charge.
    for (const { space } of gateways) await space.ip(`addr add ${PUBLIC}/32 dev lo`);
    await client.ip(`route del ${PUBLIC}`);
    await router(t, client, { address: '198.51.100.2', own: 64513, gateways: '198.51.100' });
    for (const [index, host] of hosts.entries()) {
      await host.ip('route del default');
      await router(t, host, { address: `10.9.0.${21 + index}`, own: 64514, gateways: '10.9.0' });
    }
  },
  async join(t, { directory, space }, { index, operatorSocket }) {
    const file = join(directory, 'exabgp.conf');
    await writeFile(file, configuration(index, operatorSocket));
    const settings = ['exabgp.daemon.user=root', 'exabgp.api.cli=false', 'exabgp.log.destination=stdout'];
    return running(t, space, ['env', ...settings, 'exabgp', file]);
  },
  async isInCharge({ client, hosts }, index) {
    const outside = await client.run('ip', 'route', 'show', PUBLIC);
    const inside = await Promise.all(hosts.map((host) => host.run('ip', 'route', 'show', 'default')));
    return (
      outside.includes(`via 198.51.100.${11 + index} `) &&
      inside.every((way) => way.includes(`via 10.9.0.${11 + index} `))
    );
  },
};

async function router(
  t: TestContext,
  space: Namespace,
  { address, own, gateways }: { address: string; own: number; gateways: string },
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-bird-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'bird.conf');
  const neighbours = [11, 12].map(
    (last) => `protocol bgp gateway${last} {
  local ${address} as ${own};
  neighbor ${gateways}.${last} as 64512;
  hold time ${HOLD_SECONDS};
  error wait time 1, 2;
  passive;
  ipv4 { import all; export none; };
}`,
  );
  const text = `router id ${address};
protocol device { scan time 1; }
protocol kernel { ipv4 { import none; export all; }; }
${neighbours.join('\n')}
`;
  await writeFile(file, text);
  await running(t, space, ['bird', '-f', '-c', file, '-s', join(directory, 'control')]);
}
