import { join } from 'node:path';
import { NETWORK, POOL } from './cluster.ts';
import type { ClusterInfo } from './layout.ts';

/** Polling must not hit a rate limit. */
const UNLIMITED = '10000000';

/** Returns the settings of a service on a cluster; `catalog` is the path of its catalog. */
export function settingsOf({ directory, endpoints }: ClusterInfo, catalog: string): Record<string, string> {
  return {
    VAUBAN_COMPUTE: 'incus',
    VAUBAN_CATALOG: catalog,
    VAUBAN_INCUS_ENDPOINTS: endpoints.join(', '),
    VAUBAN_INCUS_CERTIFICATE: join(directory, 'client.crt'),
    VAUBAN_INCUS_KEY: join(directory, 'client.key'),
    VAUBAN_INCUS_SERVER_CERTIFICATE: join(directory, 'm1/incus/cluster.crt'),
    VAUBAN_INCUS_NETWORK: NETWORK,
    VAUBAN_INCUS_POOL: POOL,
    VAUBAN_INCUS_CPU_OVERCOMMIT: '100',
    VAUBAN_INCUS_SERVICE_NETWORKS: '10.99.0.254',
    VAUBAN_RATE_LIMIT_KEY: UNLIMITED,
    VAUBAN_RATE_LIMIT_ACCOUNT: UNLIMITED,
  };
}
