import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { gatewayHelper } from '../../gateway/support/helper.ts';
import { defer } from '../../support/cleanup.ts';
import { NETWORK } from '../../support/incus/cluster.ts';
import { importImage, loseImage } from '../../support/incus/images.ts';
import { givenCluster } from '../../support/incus/in-cluster.ts';
import { protectInstance, removeInstances, silence } from '../../support/incus/instances.ts';
import { type ClusterInfo, incus } from '../../support/incus/layout.ts';
import { settingsOf } from '../../support/incus/settings.ts';
import { untilListening } from '../../support/listening.ts';
import { shareNetwork, shippedCatalog, writeCatalog } from './catalog.ts';
import type { Machines } from './machines.ts';
import { newVm, SMALL, withoutJob } from './world.ts';

/** An image of the shipped catalog that exists but whose files are missing. */
const WITHOUT_FILES = 'alpine-3.22';
/** Covers the addresses of all regions of the shipped catalog, and of the tiny one. */
const BRIDGE = ['ipv4.address=100.64.0.1/12', 'ipv6.address=2001:db8:1::1/64'];
const GATEWAY = `guest_prefixes: [100.64.0.0/12]
forwards:
  - { address: 192.0.2.10, ports: 20000-59999 }
  - { address: 192.0.2.20, ports: 20000-59999 }
  - { address: 192.0.2.30, ports: 20000-20000 }
`;

/**
 * Containers on the members of a real cluster. This process runs in the network of the cluster's router, which is also
 * the gateway for port forwards. Their image is sold under the name that the stories use.
 */
export async function clusterMachines(t: TestContext): Promise<Machines> {
  const cluster = givenCluster();
  if (!cluster)
    throw new Error('this is no network of a cluster: see test/compute/incus/acceptance.slow.test.ts');
  await prepare(cluster);
  // Guests outlive their service, and the next test's guests have the same addresses.
  defer(t, () => removeInstances(cluster));
  const catalog = await shippedCatalog();
  shareNetwork(catalog);
  return {
    settings: {
      ...settingsOf(cluster, await writeCatalog(t, catalog)),
      VAUBAN_GATEWAY: 'nftables',
      VAUBAN_GATEWAY_HELPER: await startGateway(t),
    },
    neverMade: (client) => newVm(client, 'never-made', { template: WITHOUT_FILES }),
    async undeletable(client) {
      const vm = await newVm(client, 'undeletable');
      await protectInstance(cluster, vm.id);
      return vm;
    },
    async silent(client) {
      const vm = await newVm(client, 'silent');
      await silence(cluster, vm.id);
      await client.ok('rebootVm', { at: [vm.id] });
      return withoutJob(client, vm.id);
    },
  };
}

/** Runs once per cluster. */
async function prepare(cluster: ClusterInfo): Promise<void> {
  const known: { name: string }[] = JSON.parse(
    await incus(cluster, 'image', 'alias', 'list', '--format', 'json'),
  );
  if (known.some(({ name }) => name === SMALL.template)) return;
  await incus(cluster, 'network', 'set', NETWORK, ...BRIDGE);
  await importImage(cluster, SMALL.template, {
    'vauban.user': 'debian',
    // A VM of an unresponsive image keeps booting for longer than any story lasts.
    'vauban.ready_within_seconds': '7200',
  });
  await importImage(cluster, WITHOUT_FILES);
  await loseImage(cluster, WITHOUT_FILES);
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
}

/** Starts the gateway's helper until the test ends; returns its socket. */
async function startGateway(t: TestContext): Promise<string> {
  const { command, socket } = await gatewayHelper(t, GATEWAY);
  const [program, ...args] = command;
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  defer(t, async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await untilListening(child);
  return socket;
}
