// Prepares this machine to run real guests: installs missing programs, builds the images, tries out what guests need,
// and imports the images.
//   npm run host:setup                        the tiny image, into the data directory of the configuration
//   npm run host:setup -- --debian-12         and a full Debian 12, which takes root and some minutes
//   npm run host:setup -- --data-dir DIR      into another data directory
//   npm run host:setup -- --cache-only        into the cache only, for the tests
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Image } from '../server/compute/qemu/images/image.ts';
import { createImageStore } from '../server/compute/qemu/images/image-store.ts';
import { loadConfig } from '../server/config/config.ts';
import { loadCatalog } from '../server/domain/catalog/load-catalog.ts';
import { install, updateLists } from './host-packages.ts';
import { tryImage, tryRoutedNetwork } from './host-trial.ts';
import { type Buildable, buildCached, findBuilt } from './image-cache.ts';
import { isInstalled } from './installed.ts';
import { detail, SetupError, step } from './step.ts';

/** One program for each Debian package that is used, with the name of the package. */
const PACKAGES: Record<string, string> = {
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  setfacl: 'acl',
  nft: 'nftables',
  ip: 'iproute2',
  mke2fs: 'e2fsprogs',
  sfdisk: 'fdisk',
  depmod: 'kmod',
  cpio: 'cpio',
  as: 'binutils',
  ld: 'binutils',
  // Shows the contents of a guest's seed.
  isoinfo: 'genisoimage',
};
const PACKAGES_OF_DEBIAN: Record<string, string> = { mmdebstrap: 'mmdebstrap' };

async function provide(name: Buildable): Promise<Image> {
  const built = await findBuilt(name);
  if (built) return built;
  // The package lists of a fresh machine or container may be missing or old.
  await updateLists();
  return step(`build the image ${name}`, () => buildCached(name, detail));
}

async function importInto(dataDir: string, image: Image): Promise<void> {
  const store = createImageStore(join(dataDir, 'images'));
  if ((await store.find(image.name))?.sha256 === image.sha256) return;
  await step(`import ${image.name} into ${dataDir}`, () => store.import(image));
}

/** Returns what remains to be done before VMs with these images can be sold; undefined if nothing does. */
function stillToDo(images: Image[]): string | undefined {
  const { catalog } = loadConfig(process.env);
  const sold = loadCatalog(catalog).templates.map(({ code, image }) => image ?? code);
  if (images.some(({ name }) => sold.includes(name))) return undefined;
  return `${catalog} sells none of them yet: uncomment its template tiny, or run: npm run host:setup -- --debian-12`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'debian-12': { type: 'boolean', default: false },
      'cache-only': { type: 'boolean', default: false },
      'data-dir': { type: 'string' },
    },
  });
  if (process.platform !== 'linux' || process.arch !== 'x64' || !isInstalled('apt-get'))
    throw new SetupError('guests run on Debian or Ubuntu on x86-64; elsewhere the simulator does');
  await install({ ...PACKAGES, ...(values['debian-12'] && PACKAGES_OF_DEBIAN) });
  const images: Image[] = [];
  for (const name of values['debian-12'] ? (['tiny', 'debian-12'] as const) : (['tiny'] as const))
    images.push(await provide(name));
  for (const image of images) await step(`start a guest of ${image.name}`, () => tryImage(image));
  await tryRoutedNetwork();
  if (!values['cache-only']) {
    const dataDir = values['data-dir'] ?? loadConfig(process.env).dataDir;
    for (const image of images) await importInto(dataDir, image);
  }
  console.log(`ready: ${images.map(({ name, sha256 }) => `${name} ${sha256.slice(0, 12)}`).join(', ')}`);
  const rest = values['cache-only'] ? undefined : stillToDo(images);
  if (rest) console.log(rest);
}

try {
  await main();
} catch (error) {
  const known = error instanceof Error && !(error instanceof TypeError);
  console.error(known ? `host:setup: ${error.message}` : error);
  process.exitCode = 1;
}
