import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount, parseList } from '../option-values.ts';
import { printJson } from '../output.ts';
import { printClusters } from '../print-clusters.ts';
import { certificateOf } from './cluster-add.ts';

interface Options {
  endpoints?: string[];
  /** False for --no-certificate. */
  certificate?: string | false;
  serviceNetworks?: string[];
  cpuOvercommit?: number;
}

export function addClusterChange(parent: Command): void {
  parent
    .command('change')
    .description('change how the cluster that was added for a region is reached, and what is sold of it')
    .argument('<region>', "code of the catalog's")
    .option(
      '--endpoints <urls>',
      'https:// addresses of members, separated by commas, in place of all',
      parseList,
    )
    .option('--certificate <file>', "the cluster's own cluster.crt, once it has another")
    .option('--no-certificate', 'believe those that the system believes')
    .option('--service-networks <list>', 'addresses of the nodes of this service towards guests', parseList)
    .option('--cpu-overcommit <count>', 'virtual CPUs a CPU', parseCount)
    .addHelpText(
      'after',
      `
Example, once the members have other addresses:
  $ vaubanctl cluster change eu-west --endpoints https://10.2.0.1:8443,https://10.2.0.2:8443`,
    )
    .action(async (region: string, { certificate: path, ...options }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const body = {
        endpoints: options.endpoints,
        certificate: typeof path === 'string' ? await certificateOf(path) : path === false ? null : undefined,
        service_networks: options.serviceNetworks,
        cpu_overcommit: options.cpuOvercommit,
      };
      // The service waits for each unreachable member, one after the other.
      const changed = await client.post('/clusters/{region}/change', {
        params: { region },
        body,
        timeoutMs: LONG_TIMEOUT_MS,
      });
      if (json) printJson(changed);
      else printClusters([changed]);
    });
}
