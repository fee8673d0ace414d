import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import { ConfigError, UnavailableError } from '../platform/config-error.ts';
import type { Logger } from '../platform/logging.ts';
import type { ComputeDriver } from './driver.ts';
import type { ClusterStore } from './incus/cluster-store.ts';
import type { OpsLogin } from './inside/ops-login.ts';
import type { Images } from './qemu/guest/guests.ts';
import { createImageStore } from './qemu/images/image-store.ts';
import type { SimulatedHost } from './simulator/stock.ts';
import type { SimulatorStore } from './simulator/store.ts';

export interface ComputeParts {
  config: Config;
  simulatorStore: SimulatorStore;
  /** Clusters of Incus that an operator has added. */
  clusterStore: ClusterStore;
  clock: Clock;
  logger: Logger;
  /** Templates of the catalog; `image` is set if it differs from the template's code. */
  templates: readonly { code: string; image?: string }[];
  regions: readonly { code: string; zones: readonly string[] }[];
  /** The zone of a single host if the configuration does not set one. */
  firstZone: string;
  /** The key that every guest authorizes. */
  opsLogin: OpsLogin;
}

export interface ComputeChoice {
  compute: ComputeDriver;
  /** Why this one was chosen, for the start-up log. */
  reason: string;
}

/**
 * Returns the compute engine named in the configuration. `auto` uses QEMU if it works here and has an image for a
 * template that is sold, otherwise the simulator; without an image, QEMU is not touched at all. In production, the
 * simulator is used only if it is named explicitly. If QEMU cannot be used there, throws {@link ConfigError}, or
 * {@link UnavailableError} for a cause that may be temporary.
 */
export async function selectCompute(parts: ComputeParts): Promise<ComputeChoice> {
  const { config } = parts;
  const simulator = async (reason: string) => ({ compute: await openSimulator(parts), reason });
  if (config.compute === 'simulator') return simulator('VAUBAN_COMPUTE says so');
  if (config.compute === 'incus')
    return { compute: await workingIncus(parts), reason: 'VAUBAN_COMPUTE says so' };
  if (config.mode === 'production')
    return { compute: await workingQemu(parts), reason: 'it works here and has an image' };
  const images = imagesOf(parts);
  const qemuHere = () => openQemu(parts, images);
  if (config.compute === 'qemu') return { compute: await qemuHere(), reason: 'VAUBAN_COMPUTE says so' };
  if (!(await hasSoldImage(parts, images)))
    return simulator('there is no image of any template of the catalog');
  const qemu = await qemuHere();
  const { ok, summary } = await qemu.probe();
  if (ok) return { compute: qemu, reason: 'QEMU works here and has an image' };
  await qemu.close();
  return simulator(summary);
}

/** Imported on demand, so that no simulator code is loaded unless it is used. */
async function openSimulator({ config, simulatorStore: store, clock }: ComputeParts): Promise<ComputeDriver> {
  const { createSimulator } = await import('./simulator/simulator.ts');
  const { simulatorMemoryMb = Infinity, simulatorDiskGb = Infinity } = config;
  return createSimulator({
    store,
    clock,
    bootSeconds: config.simulatorBootSeconds,
    capacity: { ramMb: simulatorMemoryMb, diskGb: simulatorDiskGb },
    zones: config.zones,
    hosts: simulatedHosts(config),
    templates: config.simulatorTemplates,
  });
}

/** Parses hosts such as "a1", or "a1@eu-central-a" for one that is only in that zone. */
export function simulatedHosts({ simulatorHosts }: Config): SimulatedHost[] {
  const hosts = simulatorHosts.map((word): SimulatedHost => {
    const [name, zone] = word.split('@');
    return { name: name!, ...(zone && { zones: [zone] }) };
  });
  const names = new Set(hosts.map(({ name }) => name));
  if (hosts.length === 0 || names.size < hosts.length || names.has(''))
    throw new ConfigError(['VAUBAN_SIMULATOR_HOSTS: must name at least one host, and each only once']);
  return hosts;
}

/** Throws {@link UnavailableError} if the cluster cannot be used, because that may be temporary. */
async function workingIncus(parts: ComputeParts): Promise<ComputeDriver> {
  const incus = (await import('./incus/open.ts')).openIncus(parts);
  const { ok, summary } = await incus.probe();
  if (ok) return incus;
  await incus.close();
  throw new UnavailableError(`VAUBAN_COMPUTE: ${summary}`);
}

/** Imported on demand, so that no QEMU code is loaded unless it is used. */
async function openQemu(parts: ComputeParts, images: Images): Promise<ComputeDriver> {
  const zones = parts.config.zones ?? [parts.firstZone];
  return (await import('./qemu/open.ts')).openQemu({ ...parts, images, zones });
}

/** Returns QEMU after verifying that it can create what is sold. */
async function workingQemu(parts: ComputeParts): Promise<ComputeDriver> {
  const { config } = parts;
  const images = imagesOf(parts);
  const hasImage = await hasSoldImage(parts, images).catch((error) => refuse('COMPUTE', error.message));
  if (!hasImage) {
    refuse(
      'COMPUTE',
      `${imageDirectory(config)} has no image of any template of the catalog; mount it, or make an image with ` +
        'npm run host:setup, or set simulator to sell simulated guests',
    );
  }
  if (config.hostHelper !== undefined) await reachHelper(config.hostHelper);
  const qemu = await openQemu(parts, images);
  const { ok, summary } = await qemu.probe();
  if (ok) return qemu;
  await qemu.close();
  return refuse('COMPUTE', `real guests cannot run here: ${summary}`);
}

function refuse(setting: string, problem: string): never {
  throw new ConfigError([`VAUBAN_${setting}: ${problem}`]);
}

/** Throws {@link UnavailableError}, because the helper may come back. */
async function reachHelper(path: string): Promise<void> {
  const { HostClient } = await import('./qemu/host/client.ts');
  const helper = new HostClient(path);
  try {
    await helper.reachable();
  } catch (error) {
    throw new UnavailableError(`VAUBAN_HOST_HELPER: ${(error as Error).message}; start vauban-host.service`);
  } finally {
    await helper.close();
  }
}

/** Returns whether any template can be created: whether it has an image with a readable disk. */
async function hasSoldImage({ templates }: ComputeParts, images: Images): Promise<boolean> {
  const found = await Promise.all(templates.map(({ code }) => images.find(code).catch(() => undefined)));
  const readable = found.map((image) =>
    image === undefined
      ? false
      : access(image.disk, constants.R_OK).then(
          () => true,
          () => false,
        ),
  );
  return (await Promise.all(readable)).some(Boolean);
}

const imageDirectory = ({ dataDir }: Config) => join(dataDir, 'images');

/**
 * The directory where `npm run host:setup` and the operator put images; a template finds its image by its code or the
 * name it gives.
 */
function imagesOf({ config, templates }: ComputeParts): Images {
  const store = createImageStore(imageDirectory(config));
  const imageOf = new Map(templates.map(({ code, image }) => [code, image ?? code]));
  return { ...store, find: (code) => store.find(imageOf.get(code) ?? code) };
}
