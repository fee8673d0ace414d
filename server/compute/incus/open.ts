import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config-error.ts';
import type { Logger } from '../../platform/logging.ts';
import type { ComputeDriver, NewCluster } from '../driver.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import type { ClusterStore } from './cluster-store.ts';
import { createClusters } from './clusters.ts';
import { readClusterId } from './hosts.ts';
import { createIncus } from './incus.ts';
import { Members } from './members.ts';
import type { IncusOptions } from './options.ts';
import type { Region } from './regions.ts';

export interface IncusParts {
  config: Config;
  clock: Clock;
  logger: Logger;
  opsLogin: OpsLogin;
  /** Templates of the catalog; `image` is set if it differs from the template's code. */
  templates: readonly { code: string; image?: string }[];
  regions: readonly Region[];
  /** Lists the clusters other than the one in the configuration. */
  clusterStore: ClusterStore;
}

/**
 * Creates the Incus driver from the configuration and the clusters that were added. Throws {@link ConfigError} if the
 * configuration is incomplete or wrong.
 */
export function openIncus(parts: IncusParts): ComputeDriver {
  const { config, clock, logger, regions, clusterStore: store } = parts;
  const first = firstCluster(config);
  const shared = sharedOptions(parts);
  const { incusServerCertificate: path } = config;
  const certificate = path === undefined ? null : read('VAUBAN_INCUS_SERVER_CERTIFICATE', path);
  const options = optionsOf(shared, { ...first, certificate });
  const driver = createIncus({ ...options, zones: config.zones ?? null });
  return createClusters({
    clock,
    logger,
    store,
    regions,
    first: { driver, endpoints: options.endpoints },
    open: (cluster) => createIncus(optionsOf(shared, cluster)),
    async idOf(cluster) {
      const members = new Members(optionsOf(shared, cluster));
      try {
        return await readClusterId(members);
      } finally {
        members.close();
      }
    },
  });
}

function firstCluster(config: Config): Omit<NewCluster, 'region' | 'certificate'> {
  const { incusEndpoints: endpoints, incusNetwork: network, incusServiceNetworks: serviceNetworks } = config;
  const missing = [
    endpoints === undefined && 'VAUBAN_INCUS_ENDPOINTS',
    config.incusCertificate === undefined && 'VAUBAN_INCUS_CERTIFICATE',
    config.incusKey === undefined && 'VAUBAN_INCUS_KEY',
    network === undefined && 'VAUBAN_INCUS_NETWORK',
    serviceNetworks === undefined && 'VAUBAN_INCUS_SERVICE_NETWORKS',
  ].filter((name) => name !== false);
  if (missing.length > 0)
    throw new ConfigError(missing.map((name) => `${name}: must be set if VAUBAN_COMPUTE is incus`));
  const plain = endpoints!.find((url) => !URL.canParse(url) || new URL(url).protocol !== 'https:');
  if (plain !== undefined)
    throw new ConfigError([`VAUBAN_INCUS_ENDPOINTS: ${plain} is not an https:// address of a member`]);
  return {
    endpoints: endpoints!,
    network: network!,
    serviceNetworks: serviceNetworks!,
    project: config.incusProject,
    pool: config.incusPool,
    cpuOvercommit: config.incusCpuOvercommit,
  };
}

type SharedOptions = Pick<IncusOptions, 'clock' | 'logger' | 'aliasOf' | 'opsLogin'> & {
  identity: { certificate: string; key: string };
};

/** Returns the options shared by all clusters, each of which trusts this service's one certificate. */
function sharedOptions({ config, clock, logger, opsLogin, templates }: IncusParts): SharedOptions {
  const aliases = new Map(templates.map(({ code, image }) => [code, image ?? code]));
  return {
    clock,
    logger,
    opsLogin,
    aliasOf: (template) => aliases.get(template) ?? template,
    identity: {
      certificate: read('VAUBAN_INCUS_CERTIFICATE', config.incusCertificate!),
      key: read('VAUBAN_INCUS_KEY', config.incusKey!),
    },
  };
}

function optionsOf(shared: SharedOptions, cluster: Omit<NewCluster, 'region'>): IncusOptions {
  const { endpoints, certificate, serviceNetworks, project, network, pool, cpuOvercommit } = cluster;
  const identity = { ...shared.identity, ...(certificate !== null && { serverCertificate: certificate }) };
  return {
    ...shared,
    identity,
    endpoints: endpoints.map((url) => new URL(url).origin),
    project,
    network,
    pool,
    cpuOvercommit,
    zones: null,
    serviceNetworks: serviceNetworks.map((text) =>
      text.includes('/') ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`,
    ),
  };
}

function read(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${setting}: ${(error as Error).message}`]);
  }
}
