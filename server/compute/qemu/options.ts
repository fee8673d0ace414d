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

export interface QemuOptions {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Directory that contains the guests' directories. */
  directory: string;
  images: Images;
  network: HostNetwork;
  launcher: Launcher;
  /** Users that guests run as, one each. If absent, all run as the service's own user. */
  users?: () => Promise<GuestUsers>;
  accelerator: 'kvm' | 'tcg';
  capacity: CapacitySettings;
  /** Zones of the catalog that this host is in; null means every zone. */
  zones: readonly string[] | null;
  cores: Cores;
  /** Bytes that guests leave free if they share a file system with `beside`. */
  reserve?: PoolParts['reserve'];
  nameservers: readonly string[];
  opsLogin?: OpsLogin;
  /** If present, new guests may be clones. */
  warm?: WarmTemplates;
}
