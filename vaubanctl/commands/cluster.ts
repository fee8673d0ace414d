import { readFile } from 'node:fs/promises';
import type { Cluster } from '../../shared/api/operator.ts';
import { type Add, group, plain } from '../command.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount, parseList } from '../option-values.ts';
import { print, printJson, printTable } from '../output.ts';

const REGION = ['<region>', "code of the catalog's"] as const;

const check: Add = (parent) => {
  parent
    .command('check')
    .description('check the clusters item by item; exits with 1 if one of them cannot run VMs')
    .action(async (_options: object, command) => {
      const { client, json } = contextOf(command);
      const { findings, ...about } = await client.call('checkCluster');
      if (json) printJson({ ...about, findings });
      else
        printTable(
          ['STATE', 'WHAT', 'FOUND'],
          findings.map(({ state, what, found }) => [state, what, found]),
        );
      if (findings.some(({ state }) => state === 'missing')) process.exitCode = 1;
    });
};

const list = plain('list', 'listClusters', {
  about: 'list the clusters that VMs run on',
  print: printClusters,
});

interface Options {
  region: string;
  endpoints: string[];
  certificate?: string;
  network?: string;
  serviceNetworks?: string[];
  project?: string;
  pool?: string;
  cpuOvercommit?: number;
}

const add: Add = (parent) => {
  parent
    .command('add')
    .description('run the VMs of a region on their own cluster, once it meets all requirements')
    .requiredOption('--region <region>', "code of the catalog's")
    .requiredOption('--endpoints <urls>', 'https:// addresses of members, separated by commas', parseList)
    .option(
      '--certificate <file>',
      "the cluster's own cluster.crt (default: the system's trusted certificates)",
    )
    .option('--network <bridge>', 'bridge that guests are connected to (default: as in the settings)')
    .option(
      '--service-networks <list>',
      'addresses of the nodes of this service as seen by guests (default: as in the settings)',
      parseList,
    )
    .option('--project <name>', 'project that guests are in (default: as in the settings)')
    .option('--pool <name>', 'storage pool of their disks (default: as in the settings)')
    .option('--cpu-overcommit <count>', 'virtual CPUs per CPU (default: as in the settings)', parseCount)
    .addHelpText(
      'after',
      `
The cluster must trust the certificate of the service first: incus config trust add-certificate vauban.crt

Example:
  $ vaubanctl cluster add --region eu-west --endpoints https://10.1.0.1:8443,https://10.1.0.2:8443 --certificate cluster.crt`,
    )
    .action(async ({ certificate: path, ...options }: Options, command) => {
      const { client, json } = contextOf(command);
      const body = {
        region: options.region,
        endpoints: options.endpoints,
        certificate: path === undefined ? undefined : await certificateOf(path),
        network: options.network,
        service_networks: options.serviceNetworks,
        project: options.project,
        pool: options.pool,
        cpu_overcommit: options.cpuOvercommit,
      };
      // The service waits for each unreachable member, one after the other.
      const added = await client.call('addCluster', body, { timeoutMs: LONG_TIMEOUT_MS });
      if (json) printJson(added);
      else printClusters([added]);
    });
};

interface ChangeOptions {
  endpoints?: string[];
  /** False for --no-certificate. */
  certificate?: string | false;
  serviceNetworks?: string[];
  cpuOvercommit?: number;
}

const change: Add = (parent) => {
  parent
    .command('change')
    .description('change the addresses and the sold capacity of the cluster that was added for a region')
    .argument(...REGION)
    .option(
      '--endpoints <urls>',
      'https:// addresses of members, separated by commas, replacing all current ones',
      parseList,
    )
    .option('--certificate <file>', "the cluster's new cluster.crt")
    .option('--no-certificate', "use the system's trusted certificates")
    .option('--service-networks <list>', "addresses of this service's nodes as seen by guests", parseList)
    .option('--cpu-overcommit <count>', 'virtual CPUs a CPU', parseCount)
    .addHelpText(
      'after',
      `
Example, once the members have other addresses:
  $ vaubanctl cluster change eu-west --endpoints https://10.2.0.1:8443,https://10.2.0.2:8443`,
    )
    .action(async (region: string, { certificate: path, ...options }: ChangeOptions, command) => {
      const { client, json } = contextOf(command);
      const body = {
        region,
        endpoints: options.endpoints,
        certificate: typeof path === 'string' ? await certificateOf(path) : path === false ? null : undefined,
        service_networks: options.serviceNetworks,
        cpu_overcommit: options.cpuOvercommit,
      };
      // The service waits for each unreachable member, one after the other.
      const changed = await client.call('changeCluster', body, { timeoutMs: LONG_TIMEOUT_MS });
      if (json) printJson(changed);
      else printClusters([changed]);
    });
};

/** Reads a certificate; the error names the option. */
function certificateOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new Failure([`--certificate: ${error.message}`], 1);
  });
}

const remove = plain('remove', 'removeCluster', {
  about: 'remove the cluster that was added for a region, if it has no VMs',
  args: { region: REGION },
  question: ({ region }) => `Remove the cluster of ${region}?`,
  print: ({ region }) => print(`The cluster of ${region} was removed.`),
});

function printClusters(clusters: Cluster[]): void {
  printTable(
    ['REGIONS', 'STATE', 'MEMBERS UP>', 'GUESTS>', 'ENDPOINTS', 'SAYS'],
    clusters.map(({ regions, members_up, members_total, guests, endpoints, summary, ...cluster }) => [
      regions.join(', '),
      stateOf(cluster),
      `${members_up}/${members_total}`,
      `${guests}`,
      endpoints.join(', '),
      summary,
    ]),
  );
}

/** Restricted: existing VMs keep running but no new ones can be created. */
function stateOf({ reachable, ok }: Pick<Cluster, 'reachable' | 'ok'>): string {
  if (!reachable) return 'unreachable';
  return ok ? 'ok' : 'limited';
}

export const cluster = group('cluster', 'the clusters of VMs, if any', ...[check, list, add, change, remove]);
