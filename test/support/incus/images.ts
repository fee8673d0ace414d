import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { machine } from 'node:os';
import { join } from 'node:path';
import { type ClusterInfo, directoryOf, incus, MEMBERS, run } from './layout.ts';

/** The output of image.sh, below the directory of a cluster. */
export const IMAGE_FILES = 'image';

const PROPERTIES = { os: 'tiny', 'vauban.user': 'root', 'vauban.min_disk_gb': '1' };

/**
 * Builds an image of test guests for this alias with additional properties; returns its file. Only one may be built at
 * a time.
 */
export async function packImage(
  info: ClusterInfo,
  alias: string,
  properties: Record<string, string> = {},
): Promise<string> {
  const directory = join(info.directory, IMAGE_FILES);
  const metadata = {
    architecture: machine(),
    creation_date: 1_760_000_000,
    // The alias makes the image unique even if its files are those of another one.
    properties: { ...PROPERTIES, description: alias, ...properties },
    templates: { '/etc/user-data': { when: ['create', 'copy'], template: 'user-data.tpl' } },
  };
  // JSON is valid YAML.
  await writeFile(join(directory, 'metadata.yaml'), JSON.stringify(metadata));
  const file = join(info.directory, `${alias}.tar.gz`);
  const owner = ['--numeric-owner', '--owner=0', '--group=0'];
  await run('tar', '-C', directory, ...owner, '-czf', file, 'metadata.yaml', 'templates', 'rootfs');
  return file;
}

/** Imports an image of test guests into a cluster under a new alias, with additional properties. */
export async function importImage(
  info: ClusterInfo,
  alias: string,
  properties: Record<string, string> = {},
): Promise<void> {
  const file = await packImage(info, alias, properties);
  await incus(info, 'image', 'import', file, '--alias', alias, '-q');
}

/**
 * Imports an image for virtual machines, made from a disk that boots with BIOS. They read their configuration from a CD
 * because they have no agent.
 */
export async function importDisk(info: ClusterInfo, alias: string, disk: string): Promise<void> {
  const properties = { ...PROPERTIES, description: alias };
  const metadata = { architecture: machine(), creation_date: 1_760_000_000, properties };
  const directory = await mkdtemp(join(info.directory, 'disk-'));
  await writeFile(join(directory, 'metadata.yaml'), JSON.stringify(metadata));
  const file = join(directory, 'metadata.tar.gz');
  await run('tar', '-C', directory, '-czf', file, 'metadata.yaml');
  await incus(info, 'image', 'import', file, disk, '--alias', alias, '-q');
  // Guests are created with this profile, which belongs to the operator.
  await incus(info, 'profile', 'set', 'default', 'security.csm=true', 'security.secureboot=false');
  const seed = ['seed', 'disk', 'source=cloud-init:config'];
  await incus(info, 'profile', 'device', 'add', 'default', ...seed);
}

/** Deletes the files of an image on all members without telling Incus. */
export async function loseImage(info: ClusterInfo, alias: string): Promise<void> {
  const aliases = JSON.parse(await incus(info, 'image', 'alias', 'list', '--format', 'json'));
  const { target } = aliases.find(({ name }: { name: string }) => name === alias);
  for (const member of MEMBERS) {
    const path = join(directoryOf(info, member, 'incus/images'), target);
    for (const file of [path, `${path}.rootfs`]) await rm(file, { force: true });
  }
}
