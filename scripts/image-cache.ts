import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Image } from '../server/compute/qemu/images/image.ts';
import type { ImageSource } from '../server/compute/qemu/images/image-source.ts';
import { createImageStore, type ImageStore } from '../server/compute/qemu/images/image-store.ts';

/** The images that this project can build; each is a folder of `images/`. */
export const BUILDABLE = ['tiny', 'debian-12'] as const;
export type Buildable = (typeof BUILDABLE)[number];

/** Maximum length of a failed builder's output in an error message. */
const MAX_WORDS = 4096;
const RECIPES = join(import.meta.dirname, '../images');

/**
 * Returns the same cache directory as the builders use, one per user: system-wide for root, otherwise in the home
 * directory.
 */
export function cacheDirectory(): string {
  if (process.getuid?.() === 0) return '/var/cache/vauban';
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vauban');
}

/** Returns the store of images built on this machine; the tests take their image from here. */
export function cachedImages(): ImageStore {
  return createImageStore(join(cacheDirectory(), 'images'));
}

/** Hashes everything that affects the result of a build, except packages: removing the cache updates those. */
function recipeHash(name: Buildable): string {
  const files = globSync(['lib.sh', `${name}/**`], { cwd: RECIPES, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const hash = createHash('sha256');
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort())
    hash
      .update(`${path.slice(RECIPES.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
}

/** Versions of the project on one machine share the cache, and each finds what its own recipe builds. */
const cachedName = (name: Buildable) => `${name}-${recipeHash(name).slice(0, 16)}`;

/** Returns the image as this version of the project builds it, if it was built on this machine. */
export async function findBuilt(name: Buildable): Promise<Image | undefined> {
  const image = await cachedImages().find(cachedName(name));
  return image && { ...image, name };
}

/**
 * Builds the image into the cache; `say` receives the builder's output line by line. Throws with the end of the output.
 */
export async function buildCached(name: Buildable, say: (line: string) => void): Promise<Image> {
  const cache = cacheDirectory();
  await mkdir(cache, { recursive: true });
  const out = mkdtempSync(join(cache, `${name}-`));
  try {
    const builder = spawn(join(RECIPES, name, 'build.sh'), [out, cache], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let words = '';
    for (const input of [builder.stdout, builder.stderr])
      createInterface({ input }).on('line', (line) => {
        words = `${words}${line}\n`.slice(-MAX_WORDS);
        say(line);
      });
    const [code] = await once(builder, 'close');
    if (code !== 0) throw new Error(`the image ${name} was not built:\n${words.trim()}`);
    const image = await cachedImages().import({ ...sourceOf(out), name: cachedName(name) });
    return { ...image, name };
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** Reads what a builder left in `directory`. */
function sourceOf(directory: string): Omit<ImageSource, 'name'> {
  const { user, append, warm } = JSON.parse(readFileSync(join(directory, 'image.json'), 'utf8'));
  const boot = { kernel: join(directory, 'kernel'), initrd: join(directory, 'initrd'), append };
  return {
    disk: join(directory, 'disk.qcow2'),
    user,
    ...(warm && { warm }),
    ...(append !== undefined && { directBoot: boot }),
  };
}
