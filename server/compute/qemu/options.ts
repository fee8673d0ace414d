import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import type { CapacitySettings } from './capacity.ts';
import type { Cores } from './cores.ts';
import type { Launcher } from './direct-launcher.ts';
import type { Images } from './guests.ts';
import type { HostNetwork } from './network.ts';
import type { GuestUsers } from './ownership.ts';
import type { PoolParts } from './pool.ts';
import type { WarmTemplates } from './warm.ts';

/** What the driver is made of. */
export interface QemuOptions {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Of the guests' directories. */
  directory: string;
  images: Images;
  network: HostNetwork;
  launcher: Launcher;
  /** Whom guests run as, one user each; absent: all as the service's own. */
  users?: () => Promise<GuestUsers>;
  accelerator: 'kvm' | 'tcg';
  capacity: CapacitySettings;
  /** Of the catalog, in which this host is; null is every one. */
  zones: readonly string[] | null;
  /** Which CPUs guests run on. */
  cores: Cores;
  /** What guests leave free where their file system is also that of `beside`, in bytes. */
  reserve?: PoolParts['reserve'];
  /** Resolvers of the guests. */
  nameservers: readonly string[];
  opsLogin?: OpsLogin;
  /** Where new guests may be clones. */
  warm?: WarmTemplates;
}
