import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Buildable, findBuilt } from '../../scripts/image-cache.ts';
import { isInstalled } from '../../scripts/installed.ts';
import type { Image } from '../../server/compute/qemu/images/image.ts';
import { createImageStore } from '../../server/compute/qemu/images/image-store.ts';

const REQUIRED = process.env.VAUBAN_REQUIRE_QEMU === '1';
const told = new Set<string>();

/**
 * Returns `reason`, for a test's `skip`. If VAUBAN_REQUIRE_QEMU is 1, a test of the calling file fails with it instead:
 * throwing here would end the file before its tests are registered.
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
 * Returns the image for test guests that `npm run host:setup` built; undefined if there is none.
 * {@link skipWithoutTinyImage} returns the reason.
 */
export async function tinyImage(): Promise<Image | undefined> {
  if (skipUnlessInstalled('qemu-system-x86_64', 'qemu-img')) return undefined;
  return findBuilt('tiny');
}

/** Imports a built image into a service's data directory, with changes if given. */
export async function importBuilt(
  dataDir: string,
  image: Buildable,
  changed: (image: Image) => Partial<Image> = () => ({}),
): Promise<void> {
  const built = (await findBuilt(image))!;
  await createImageStore(join(dataDir, 'images')).import({ ...built, ...changed(built) });
}

/** For a test's `skip`: why {@link tinyImage} returns none, or false. */
export async function skipWithoutTinyImage(): Promise<string | false> {
  const missing = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');
  if (missing) return missing;
  return (await findBuilt('tiny'))
    ? false
    : skipUnlessRequired('the tiny image is not built: npm run host:setup');
}

/**
 * For a test's `skip`: why the full Debian image is missing, or false. It takes minutes to build, so nothing requires
 * it.
 */
export async function skipWithoutDebian(): Promise<string | false> {
  const missing = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');
  if (missing) return missing;
  return (await findBuilt('debian-12'))
    ? false
    : 'the image debian-12 is not built: npm run host:setup -- --debian-12';
}
