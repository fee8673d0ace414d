import { join } from 'node:path';
import { NETWORK, POOL } from './cluster.ts';
import type { ClusterInfo } from './layout.ts';

/** Waiting by asking again and again must not run into a limit. */
const UNLIMITED = '10000000';

/** Settings of a service on a cluster, which sells what is in the file of that path. */
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
