import { rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Option } from 'commander';
import type { Image } from '../../shared/api/operator.ts';
import { buildImage, RECIPES } from '../build-image.ts';
import { type Add, group, plain } from '../command.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { type Input, LONG_TIMEOUT_MS } from '../operator-client.ts';
import { print, printJson, printTable } from '../output.ts';

const MIB = 2 ** 20;

/** The imported files and their properties, without the name. */
type Source = Pick<Input<'importImage'>, 'disk' | 'user' | 'sha256' | 'direct_boot'>;

interface Options {
  name?: string;
  user?: string;
  sha256?: string;
  ready?: string;
  readyWithin?: string;
  build?: (typeof RECIPES)[number];
}

const importImage: Add = (parent) => {
  parent
    .command('import')
    .description('import a disk image for VMs: a qcow2 or raw file, or one that is built here')
    .argument('[file]', 'the disk; it is copied')
    .option('--name <name>', "the catalog's code for it (default: the file's name without its extension)")
    .option('--user <user>', 'default user (default: root, or that of the built image)')
    .option('--sha256 <hash>', 'the SHA-256 that the publisher states, in hexadecimal')
    .option(
      '--ready <how>',
      'condition for a VM to be ready: port:NUMBER, agent, cloud-init or none (default: port:22)',
    )
    .option('--ready-within <seconds>', 'how long to wait for it before the VM gets a hint in its events')
    .addOption(new Option('--build <recipe>', 'build the image').choices(RECIPES).conflicts('sha256'))
    .action(async (file: string | undefined, options: Options, command) => {
      if ((file === undefined) === (options.build === undefined))
        throw new Failure(['give either a file or --build'], 1);
      const { client, json } = contextOf(command);
      // Check that the service is reachable before a long build.
      await client.call('listImages');
      const { name = options.build ?? nameOf(file!), user, sha256 } = options;
      const readiness = { ready: options.ready, ready_within_seconds: wholeSeconds(options.readyWithin) };
      const post = (source: Source) =>
        client.call('importImage', { name, ...readiness, ...source }, { timeoutMs: LONG_TIMEOUT_MS });
      const image = options.build
        ? await importBuilt(options.build, client.place, user, post)
        : await post({ disk: resolve(file!), user: user ?? 'root', sha256: sha256?.toLowerCase() });
      if (json) printJson(image);
      else printImages([image]);
    });
};

async function importBuilt(
  recipe: string,
  place: string,
  user: string | undefined,
  post: (source: Source) => Promise<Image>,
) {
  const { directory, ...built } = await buildImage(recipe, place);
  try {
    return await post({ ...built, ...(user !== undefined && { user }) });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function wholeSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,9}$/.test(text)) throw new Failure(['--ready-within must be a number of seconds'], 1);
  return Number(text);
}

/** Returns the name for a file: "debian-12" for "/x/debian-12.qcow2". */
function nameOf(file: string): string {
  return basename(file).replace(/\.(qcow2|img|raw)$/, '');
}

const list = plain('list', 'listImages', { about: 'list the images, by name', print: printImages });

const remove = plain('remove', 'removeImage', {
  about: 'remove the name of an image: no new VMs can be created from it, and existing VMs keep their disks',
  args: { name: ['<name>', 'name as listed'] },
  print: ({ name }) =>
    print(`Image ${name} was removed; \`vaubanctl image collect\` frees what no VM needs.`),
});

const collect = plain('collect', 'collectImages', {
  about: 'delete image files that no name, VM or warm template needs and that are at least an hour old',
  isLong: true,
  print: ({ files, bytes }) => print(`Files removed: ${files}, ${Math.ceil(bytes / MIB)} MiB freed.`),
});

function printImages(images: Image[]): void {
  printTable(
    ['NAME', 'USER', 'SIZE', 'START', 'READY', 'SHA-256'],
    images.map(({ name, user, virtual_bytes, direct_boot, ready, sha256 }) => [
      name,
      user,
      `${Math.ceil(virtual_bytes / MIB)} MiB`,
      direct_boot ? 'kernel' : 'BIOS',
      ready,
      sha256,
    ]),
  );
}

export const image = group('image', 'disk images for VMs', importImage, list, remove, collect);
