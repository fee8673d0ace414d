import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import type { Identity } from './client.ts';
import type { Surroundings } from './specification.ts';

export interface IncusOptions extends Surroundings {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Addresses of members of one cluster, such as "https://10.0.0.1:8443". */
  endpoints: readonly string[];
  identity: Identity;
  /** Virtual CPUs sold per CPU of a host. */
  cpuOvercommit: number;
  /** Zone codes of the catalog for hosts without a cluster group; null means every zone. */
  zones: readonly string[] | null;
  /** Returns the alias of the image from which guests of a template are created. */
  aliasOf(template: string): string;
  /** CIDRs of the addresses from which this service's nodes reach the guests. */
  serviceNetworks: readonly string[];
  opsLogin?: OpsLogin;
}
