import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import type { CapacitySettings } from './capacity.ts';
import type { PoolParts } from './disk/pool.ts';
import type { Images } from './guest/guests.ts';
import type { GuestUsers } from './guest/ownership.ts';
import type { WarmTemplates } from './images/warm.ts';
import type { HostNetwork } from './network/network.ts';
import type { Cores } from './process/cores.ts';
import type { Launcher } from './process/direct-launcher.ts';

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
