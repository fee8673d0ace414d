import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config-error.ts';
import type { Logger } from '../../platform/logging.ts';
import type { ComputeDriver } from '../driver.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import type { Images } from './guest/guests.ts';
import { HostClient } from './host/client.ts';
import { findAccelerator } from './host.ts';
import { WarmTemplates } from './images/warm.ts';
import { createUserNetwork } from './network/user-network.ts';
import type { QemuOptions } from './options.ts';
import { Cores } from './process/cores.ts';
import { createDirectLauncher } from './process/direct-launcher.ts';
import { limitedLauncher } from './process/limits.ts';
import { createQemu } from './qemu.ts';
import { RoutedNetwork } from './routed/routed.ts';

const MEGABYTE = 1_048_576;

export interface QemuParts {
  config: Config;
  clock: Clock;
  logger: Logger;
  images: Images;
  /** The key that every guest authorizes. */
  opsLogin: OpsLogin;
  /** Zones of the catalog that this host is in. */
  zones: readonly string[];
}

/** Creates the QEMU driver from the configuration. Throws {@link ConfigError} if that is impossible. */
export async function openQemu(parts: QemuParts): Promise<ComputeDriver> {
  const { config, clock, logger, images, opsLogin, zones } = parts;
  const { kind: accelerator } = await findAccelerator(config.qemuAccel);
  const host = selectHost(parts);
  const cores = new Cores(config.qemuDedicatedCpus);
  const cpus = cores.sharedList;
  // A helper starts only guests, not warm templates.
  const launcher = config.hostHelper === undefined ? host.launcher : createDirectLauncher(clock);
  const templates = { clock, logger, accelerator, launcher, cpus };
  const pool = config.poolDir ?? config.dataDir;
  return createQemu({
    clock,
    logger,
    directory: join(pool, 'guests'),
    images,
    ...host,
    accelerator,
    warm:
      config.qemuWarm === 'on'
        ? new WarmTemplates({ ...templates, directory: join(pool, 'warm') })
        : undefined,
    capacity: {
      cpuOvercommit: config.qemuCpuOvercommit,
      memoryMb: config.qemuMemoryMb,
      diskGb: config.qemuDiskGb,
    },
    zones,
    cores,
    reserve: { bytes: config.poolReserveMb * MEGABYTE, beside: config.dataDir },
    nameservers: config.qemuNameservers,
    opsLogin,
  });
}

/**
 * Chooses how guests are connected and started; no other code knows the alternatives. With a helper, it does both and
 * the service needs no privileges. Without one, the service must itself be root to route.
 */
function selectHost({
  config,
  clock,
  logger,
}: QemuParts): Pick<QemuOptions, 'network' | 'launcher' | 'users'> {
  const { qemuNetwork: choice, hostHelper, qemuUplink: uplink } = config;
  if (hostHelper !== undefined) {
    if (choice === 'user')
      throw new ConfigError(['VAUBAN_HOST_HELPER: only supports the network `routed`, not `user`']);
    const helper = new HostClient(hostHelper);
    return { network: helper, launcher: helper, users: () => helper.users() };
  }
  if (choice !== 'routed' && config.mode === 'production') {
    throw new ConfigError([
      'VAUBAN_QEMU_NETWORK: the user network only connects guests to this host and is for development; set it to ' +
        'routed, or set VAUBAN_HOST_HELPER to the helper that routes',
    ]);
  }
  const launcher = limitedLauncher(createDirectLauncher(clock), { logger });
  return {
    network: choice === 'routed' ? new RoutedNetwork({ uplink, logger }) : createUserNetwork(clock),
    launcher,
  };
}
