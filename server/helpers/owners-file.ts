import { readFileSync, statSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigError } from '../platform/config-error.ts';
import { InvalidArgumentError } from '../platform/strict-shapes.ts';

/** Only the owner may decide what the owner permits. */
const WRITABLE_BY_OTHERS = 0o022;

/** Throws {@link InvalidArgumentError} if anyone but its owner may write a file. */
export function checkOwnersAlone(path: string): void {
  if (statSync(path).mode & WRITABLE_BY_OTHERS)
    throw new InvalidArgumentError('only its owner may be able to write it');
}

/**
 * Reads from a YAML file what the owner of a host permits. Throws {@link ConfigError} if the file is missing, writable
 * by others, or rejected by `check`.
 */
export function readOwnersFile<T>(path: string, check: (value: unknown) => asserts value is T): T {
  try {
    checkOwnersAlone(path);
    const value: unknown = parse(readFileSync(path, 'utf8'));
    check(value);
    return value;
  } catch (error) {
    throw new ConfigError([`${path}: ${(error as Error).message}`]);
  }
}
