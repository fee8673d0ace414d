import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.ts';

/** The images that come with the project as a recipe. */
export const RECIPES = ['tiny', 'debian-12'] as const;

/** What a builder made, as the service takes it. */
export interface BuiltImage {
  /** To be removed when it was imported. */
  directory: string;
  disk: string;
  user: string;
  direct_boot?: { kernel: string; initrd: string; append: string };
}

/** Builds an image into a new directory. What the builder says goes to standard error as it is said. */
export async function buildImage(name: string): Promise<BuiltImage> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-image-'));
  const script = fileURLToPath(new URL(`../images/${name}/build.sh`, import.meta.url));
  const builder = spawn(script, [directory], { stdio: ['ignore', 2, 2] });
  const [code] = await once(builder, 'close').catch((error: Error) => [error.message]);
  if (code !== 0) throw new Failure([`the image ${name} was not built (${code})`], 1);
  const at = (file: string) => join(directory, file);
  const { user, append } = JSON.parse(readFileSync(at('image.json'), 'utf8'));
  const disk = { directory, disk: at('disk.qcow2'), user };
  if (append === undefined) return disk;
  return { ...disk, direct_boot: { kernel: at('kernel'), initrd: at('initrd'), append } };
}
