import { posix } from 'node:path';

/** `path` as seen from `cwd`, absolute and normal, without a trailing slash. */
export function absolute(cwd: string, path: string): string {
  const full = posix.resolve(cwd, path);
  return full === '' ? '/' : full;
}

/** The directory that holds `path`; of the root, itself. */
export function parentOf(path: string): string {
  return posix.dirname(path);
}

/** The last name of `path`. */
export function nameOf(path: string): string {
  return posix.basename(path);
}

/** Whether `path` is `directory` or below it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
