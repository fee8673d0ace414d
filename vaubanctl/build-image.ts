import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.ts';

/** Images that can be built from a recipe of the project. */
export const RECIPES = ['tiny', 'debian-12'] as const;

/** The result of a build, in the form that the service imports. */
export interface BuiltImage {
  /** To be deleted after the import. */
  directory: string;
  disk: string;
  user: string;
  direct_boot?: { kernel: string; initrd: string; append: string };
}

/** The service runs as another user and must be able to read these. */
const READABLE = { directory: 0o755, file: 0o644 };

/**
 * Builds an image into a new directory in `place`, where the service can read it: its systemd unit has a private /tmp.
 * The builder's output goes to standard error.
 */
export async function buildImage(name: string, place: string): Promise<BuiltImage> {
  const directory = newDirectory(resolve(place));
  try {
    return await buildInto(directory, name);
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
}

/** A caller who may not write there is not root and runs the service as the same user. */
function newDirectory(place: string): string {
  try {
    return mkdtempSync(join(place, '.image-'));
  } catch {
    return mkdtempSync(join(tmpdir(), 'vauban-image-'));
  }
}

async function buildInto(directory: string, name: string): Promise<BuiltImage> {
  const script = fileURLToPath(new URL(`../images/${name}/build.sh`, import.meta.url));
  const builder = spawn(script, [directory], { stdio: ['ignore', 2, 2] });
  const [code] = await once(builder, 'close').catch((error: Error) => [error.message]);
  if (code !== 0) throw new Failure([`the image ${name} was not built (${code})`], 1);
  chmodSync(directory, READABLE.directory);
  for (const file of readdirSync(directory)) chmodSync(join(directory, file), READABLE.file);
  const at = (file: string) => join(directory, file);
  const { user, append } = JSON.parse(readFileSync(at('image.json'), 'utf8'));
  const disk = { directory, disk: at('disk.qcow2'), user };
  if (append === undefined) return disk;
  return { ...disk, direct_boot: { kernel: at('kernel'), initrd: at('initrd'), append } };
}
