import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../platform/clock.ts';
import { ConfigError } from '../platform/config-error.ts';
import type { Logger } from '../platform/logging.ts';
import type { ComputeDriver } from './driver.ts';
import { cappedLauncher } from './qemu/cpu-cap.ts';
import type { Images } from './qemu/guests.ts';
import { HostClient } from './qemu/host/client.ts';
import { findAccelerator } from './qemu/host.ts';
import { createImageStore } from './qemu/image-store.ts';
import { createDirectLauncher, type Launcher } from './qemu/launcher.ts';
import type { HostNetwork } from './qemu/network.ts';
import type { OpsLogin } from './qemu/ops-login.ts';
import { createQemu } from './qemu/qemu.ts';
import { RoutedNetwork } from './qemu/routed/routed.ts';
import { createUserNetwork } from './qemu/user-network.ts';
import { WarmTemplates } from './qemu/warm.ts';
import { createSimulator } from './simulator/simulator.ts';

export interface ComputeParts {
  config: Config;
  db: Database;
  clock: Clock;
  logger: Logger;
  /** Of the catalog; `image` where that has another name than the template. */
  templates: readonly { code: string; image?: string }[];
  /** The key that every guest authorizes. */
  opsLogin: OpsLogin;
}

export interface ComputeChoice {
  compute: ComputeDriver;
  /** Why this one, for the start-up log. */
  reason: string;
}

/**
 * The compute engine that the configuration names. `auto` takes QEMU when it works here and has an image of what is
 * sold, else the simulator; without an image nothing of QEMU is touched.
 */
export async function selectCompute(parts: ComputeParts): Promise<ComputeChoice> {
  const { config, db, clock } = parts;
  const simulator = (reason: string) => ({
    compute: createSimulator({ db, clock, bootSeconds: config.simulatorBootSeconds }),
    reason,
  });
  if (config.compute === 'simulator') return simulator('the configuration says so');
  const images = imagesOf(parts);
  if (config.compute === 'qemu')
    return { compute: await openQemu(parts, images), reason: 'the configuration says so' };
  const usable = await Promise.all(parts.templates.map(({ code }) => images.find(code)));
  if (!usable.some(Boolean)) return simulator('there is no image of any template of the catalog');
  const qemu = await openQemu(parts, images);
  const { ok, summary } = await qemu.probe();
  if (ok) return { compute: qemu, reason: 'QEMU works here and has an image' };
  await qemu.close();
  return simulator(summary);
}

/** Where `npm run host:setup` and the operator put images; a template's is found by the template's code. */
function imagesOf({ config, templates }: ComputeParts): Images {
  const store = createImageStore(join(config.dataDir, 'images'));
  const imageOf = new Map(templates.map(({ code, image }) => [code, image ?? code]));
  return { find: (code) => store.find(imageOf.get(code) ?? code), list: () => store.list() };
}

async function openQemu(parts: ComputeParts, images: Images): Promise<ComputeDriver> {
  const { config, clock, logger, opsLogin } = parts;
  const { kind: accelerator } = await findAccelerator(config.qemuAccel);
  const host = selectHost(parts);
  const templates = { clock, logger, accelerator, launcher: host.launcher };
  const directory = join(config.dataDir, 'warm');
  return createQemu({
    clock,
    logger,
    directory: join(config.dataDir, 'guests'),
    images,
    ...host,
    accelerator,
    warm: config.qemuWarm === 'on' ? new WarmTemplates({ ...templates, directory }) : undefined,
    capacity: {
      cpuOvercommit: config.qemuCpuOvercommit,
      memoryMb: config.qemuMemoryMb,
      diskGb: config.qemuDiskGb,
    },
    nameservers: config.qemuNameservers,
    opsLogin,
  });
}

/**
 * How guests are connected and started: the one place that knows the choices. With a helper both are its business, and
 * the service needs no privilege; without one the service itself must be root to route.
 */
function selectHost({ config, clock, logger }: ComputeParts): { network: HostNetwork; launcher: Launcher } {
  const { qemuNetwork: choice, hostHelper, qemuUplink: uplink, qemuWarm } = config;
  if (hostHelper !== undefined) {
    if (choice === 'user')
      throw new ConfigError(['VAUBAN_HOST_HELPER: makes routed networks only, not user']);
    if (qemuWarm === 'on') throw new ConfigError(['VAUBAN_QEMU_WARM: is not for a host with a helper']);
    const helper = new HostClient(hostHelper);
    return { network: helper, launcher: helper };
  }
  const launcher = cappedLauncher(createDirectLauncher(clock), logger);
  return {
    network: choice === 'routed' ? new RoutedNetwork({ uplink }) : createUserNetwork(clock),
    launcher,
  };
}
