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
    .description('change the addresses and the sold capacity of the cluster that was added for a region')
    .argument('<region>', "code of the catalog's")
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
