import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import type { Identity } from './client.ts';
import type { Surroundings } from './specification.ts';

/** What the driver is made of. */
export interface IncusOptions extends Surroundings {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Addresses of members of one cluster, such as "https://10.0.0.1:8443". */
  endpoints: readonly string[];
  identity: Identity;
  /** Virtual CPUs sold for each CPU of a host. */
  cpuOvercommit: number;
  /** Codes of the catalog's zones in which hosts of no cluster group are; null is every one. */
  zones: readonly string[] | null;
  /** The alias of the image that guests of a template are made of. */
  aliasOf(template: string): string;
  /** CIDRs of the addresses that the nodes of this service have towards guests. */
  serviceNetworks: readonly string[];
  opsLogin?: OpsLogin;
}
