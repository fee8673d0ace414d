import { posix } from 'node:path';

/** Resolves `path` relative to `cwd`: absolute and normalized, without a trailing slash. */
export function absolute(cwd: string, path: string): string {
  const full = posix.resolve(cwd, path);
  return full === '' ? '/' : full;
}

/** Returns the directory that contains `path`; for the root, the root itself. */
export function parentOf(path: string): string {
  return posix.dirname(path);
}

export function nameOf(path: string): string {
  return posix.basename(path);
}

/** Returns whether `path` is `directory` or below it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
