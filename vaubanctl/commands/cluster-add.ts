import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount, parseList } from '../option-values.ts';
import { printJson } from '../output.ts';
import { printClusters } from '../print-clusters.ts';

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

export function addClusterAdd(parent: Command): void {
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
    .action(async ({ certificate: path, ...options }: Options, command: Command) => {
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
      const added = await client.post('/clusters', { body, timeoutMs: LONG_TIMEOUT_MS });
      if (json) printJson(added);
      else printClusters([added]);
    });
}

/** Reads a certificate; the error names the option. */
export function certificateOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new Failure([`--certificate: ${error.message}`], 1);
  });
}
