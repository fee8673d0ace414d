import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { ComputeDriver } from './driver.ts';
import type { Images } from './qemu/guests.ts';
import { createImageStore } from './qemu/image-store.ts';
import type { OpsLogin } from './qemu/ops-login.ts';
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
  const qemuHere = async () => (await import('./qemu/open.ts')).openQemu({ ...parts, images });
  if (config.compute === 'qemu') return { compute: await qemuHere(), reason: 'the configuration says so' };
  const usable = await Promise.all(parts.templates.map(({ code }) => images.find(code)));
  if (!usable.some(Boolean)) return simulator('there is no image of any template of the catalog');
  const qemu = await qemuHere();
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
