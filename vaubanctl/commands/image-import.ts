import { rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { buildImage, RECIPES } from '../build-image.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Image, Writes } from '../operator-api.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { printJson } from '../output.ts';
import { printImages } from '../print-images.ts';

/** The imported files and their properties, without the name. */
type Source = Pick<Writes['/images']['body'], 'disk' | 'user' | 'sha256' | 'direct_boot'>;

interface Options {
  name?: string;
  user?: string;
  sha256?: string;
  ready?: string;
  readyWithin?: string;
  build?: (typeof RECIPES)[number];
}

export function addImageImport(parent: Command): void {
  parent
    .command('import')
    .description('import a disk image for VMs: a qcow2 or raw file, or one that is built here')
    .argument('[file]', 'the disk; it is copied')
    .option('--name <name>', "the catalog's code for it (default: the file's name without its ending)")
    .option('--user <user>', 'default user (default: root, or that of the built image)')
    .option('--sha256 <hash>', 'the SHA-256 that the publisher states, in hexadecimal')
    .option(
      '--ready <how>',
      'condition for a VM to be ready: port:NUMBER, agent, cloud-init or none (default: port:22)',
    )
    .option('--ready-within <seconds>', 'how long to wait for it before the VM gets a hint in its events')
    .addOption(new Option('--build <recipe>', 'build the image').choices(RECIPES).conflicts('sha256'))
    .action(async (file: string | undefined, options: Options, command: Command) => {
      if ((file === undefined) === (options.build === undefined))
        throw new Failure(['give either a file or --build'], 1);
      const { client, json } = contextOf(command);
      // Check that the service is reachable before a long build.
      await client.get('/images');
      const { name = options.build ?? nameOf(file!), user, sha256 } = options;
      const readiness = { ready: options.ready, ready_within_seconds: wholeSeconds(options.readyWithin) };
      const post = (source: Source) =>
        client.post('/images', { body: { name, ...readiness, ...source }, timeoutMs: LONG_TIMEOUT_MS });
      const image = options.build
        ? await importBuilt(options.build, client.place, user, post)
        : await post({ disk: resolve(file!), user: user ?? 'root', sha256: sha256?.toLowerCase() });
      if (json) printJson(image);
      else printImages([image]);
    });
}

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
