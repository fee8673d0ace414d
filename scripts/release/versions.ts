import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of a version that a release increments. */
export type Kind = 'major' | 'minor' | 'patch';

export const KINDS: readonly Kind[] = ['major', 'minor', 'patch'];

/** Returns the version after `version` for a release of this kind. Throws unless `version` is three numbers. */
export function raise(version: string, kind: Kind): string {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) throw new Error(`not a version: ${version}`);
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (kind === 'major') return `${major + 1}.0.0`;
  return kind === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Versioned files outside the workspaces. */
const BESIDE_WORKSPACES = [
  'package.json',
  'package-lock.json',
  'pulumi/package.json',
  'pulumi/package-lock.json',
  'terraform/version.go',
];

/** Returns the paths, relative to the repository, of files to which a release writes the version. */
export function versionedFiles(repository: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  return [...BESIDE_WORKSPACES, ...workspaces.map((name: string) => `${name}/package.json`)];
}

interface Package {
  version: string;
  peerDependencies?: Record<string, string>;
}

interface PackageFile extends Package {
  /** Only in a lock file: the project's own packages, by folder, and the installed ones. */
  packages?: Record<string, Package>;
}

/** `@vauban/pulumi` works with the client of the same release. */
const CLIENT = '@vauban/client';

/** Returns the text of a file with `change` applied to each of the project's versions in it. */
export function mapVersions(file: string, text: string, change: (version: string) => string): string {
  if (file.endsWith('.go'))
    return text.replace(
      /(const version = ")([^"]*)/,
      (_, start, version: string) => `${start}${change(version)}`,
    );
  const root: PackageFile = JSON.parse(text);
  const own = Object.entries(root.packages ?? {}).filter(([path]) => !path.includes('node_modules/'));
  for (const part of [root, ...own.map(([, locked]) => locked)]) {
    part.version = change(part.version);
    const peers = part.peerDependencies;
    if (peers?.[CLIENT]) peers[CLIENT] = `^${change(peers[CLIENT].replace(/^\^/, ''))}`;
  }
  return `${JSON.stringify(root, null, 2)}\n`;
}

export function versionsIn(file: string, text: string): string[] {
  const found: string[] = [];
  mapVersions(file, text, (version) => {
    found.push(version);
    return version;
  });
  return found;
}

export function writeVersion(repository: string, version: string): void {
  for (const file of versionedFiles(repository)) {
    const path = join(repository, file);
    writeFileSync(
      path,
      mapVersions(file, readFileSync(path, 'utf8'), () => version),
    );
  }
}
