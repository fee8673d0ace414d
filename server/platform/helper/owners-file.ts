import { readFileSync, statSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigError } from '../config-error.ts';
import { InvalidArgumentError } from './shapes.ts';

/** Others than the owner must not decide what the owner allows. */
const WRITABLE_BY_OTHERS = 0o022;

/** Throws {@link InvalidArgumentError} where others than its owner may write a file. */
export function checkOwnersAlone(path: string): void {
  if (statSync(path).mode & WRITABLE_BY_OTHERS)
    throw new InvalidArgumentError('only its owner may be able to write it');
}

/**
 * Reads from a YAML file what the owner of a host allows there; throws {@link ConfigError} where it is missing, open to others,
 * or not as `check` wants it.
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
