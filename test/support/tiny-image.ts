import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Buildable, findBuilt } from '../../scripts/image-cache.ts';
import { isInstalled } from '../../scripts/installed.ts';
import type { Image } from '../../server/compute/qemu/image.ts';
import { createImageStore } from '../../server/compute/qemu/image-store.ts';

const REQUIRED = process.env.VAUBAN_REQUIRE_QEMU === '1';
const told = new Set<string>();

/**
 * `reason`, for a test's `skip`. Where VAUBAN_REQUIRE_QEMU is 1 a test of the file that asks fails with it: to throw
 * here would end the file before its tests are known.
 */
export function skipUnlessRequired(reason: string): string {
  if (REQUIRED && !told.has(reason))
    test(`this machine can run all tests: ${reason}`, () => assert.fail(reason));
  told.add(reason);
  return reason;
}

/** For a test's `skip`: why it cannot run here, or false. See {@link skipUnlessRequired}. */
export function skipUnlessInstalled(...programs: string[]): string | false {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return false;
  return skipUnlessRequired(`${missing.join(', ')} not installed: npm run host:setup`);
}

/**
 * The image that guests of tests are made of, as `npm run host:setup` built it, or undefined: then
 * {@link skipWithoutTinyImage} says why.
 */
export async function tinyImage(): Promise<Image | undefined> {
  if (skipUnlessInstalled('qemu-system-x86_64', 'qemu-img')) return undefined;
  return findBuilt('tiny');
}

/** Puts an image that was built into a service's data directory, changed if told so. */
export async function importBuilt(
  dataDir: string,
  image: Buildable,
  changed: (image: Image) => Partial<Image> = () => ({}),
): Promise<void> {
  const built = (await findBuilt(image))!;
  await createImageStore(join(dataDir, 'images')).import({ ...built, ...changed(built) });
}

/** For a test's `skip`: why {@link tinyImage} has none, or false. */
export async function skipWithoutTinyImage(): Promise<string | false> {
  const missing = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');
  if (missing) return missing;
  return (await findBuilt('tiny'))
    ? false
    : skipUnlessRequired('the tiny image is not built: npm run host:setup');
}

/** The same for the full Debian, which takes minutes to build: nothing requires it. */
export async function skipWithoutDebian(): Promise<string | false> {
  const missing = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');
  if (missing) return missing;
  return (await findBuilt('debian-12'))
    ? false
    : 'the image debian-12 is not built: npm run host:setup -- --debian-12';
}
