import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { REPOSITORY } from '../../support/source.ts';

const VERSION = '4.5.0';
/**
 * Installed on first use: with its optional parts, a program and a Java archive, it would add 57 MB to each
 * installation.
 */
const DIRECTORY = join(REPOSITORY, 'node_modules/.cache', `recheck-${VERSION}`);

// Run the checker in this process: its other backends need those optional parts.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/** Bounded by steps, not by time, so that the result is the same on a busy machine. */
const BOUNDS = { attackTimeout: null, incubationTimeout: null, attackLimit: 100_000_000 };

interface Recheck {
  checkSync(pattern: string, flags: string, options: object): { status: 'safe' | 'vulnerable' | 'unknown' };
}

function install(): Recheck {
  if (!existsSync(join(DIRECTORY, 'node_modules/recheck'))) {
    mkdirSync(DIRECTORY, { recursive: true });
    const options = ['--no-audit', '--no-fund', '--no-save', '--omit=optional', '--ignore-scripts'];
    execFileSync('npm', ['install', '--prefix', DIRECTORY, ...options, `recheck@${VERSION}`]);
  }
  return createRequire(join(DIRECTORY, 'package.json'))('recheck');
}

let recheck: Recheck | undefined;

/**
 * Returns whether recheck proves that a match takes time in proportion to the text; `unproven` if it gives up after
 * `timeout` ms.
 */
export function timeOf(expression: string, timeout: number | null): 'linear' | 'worse' | 'unproven' {
  recheck ??= install();
  const end = expression.lastIndexOf('/');
  const options = { ...BOUNDS, timeout };
  const { status } = recheck.checkSync(expression.slice(1, end), expression.slice(end + 1), options);
  return status === 'safe' ? 'linear' : status === 'vulnerable' ? 'worse' : 'unproven';
}
