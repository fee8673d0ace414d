import { existsSync, globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { importsOf, REPOSITORY, read } from '../../test/support/source.ts';

export type Engine = 'pglite' | 'postgres';

/** The needs of a test file, by the suffix of its name; `docs/testing.md` explains each. */
export type Tier = 'fast' | 'full' | 'host' | 'slow';

/** Files that import it give different results on another engine. */
const DATABASE = 'test/support/database.ts';
/** Files that import it give different results with deeper random worlds. */
const DEPTH = 'test/support/depth.ts';

export function tierOf(file: string): Tier {
  const suffix = /\.(full|host|slow)\.test\.ts$/.exec(file)?.[1];
  return (suffix as Tier | undefined) ?? 'fast';
}

/** Returns every test file, by its path in the repository. */
export function testFiles(): string[] {
  return globSync('{test,server,vaubanctl}/**/*.test.ts', { cwd: REPOSITORY }).sort();
}

/** Returns whether `file` is one of `targets`, or imports one directly or indirectly. */
export function reaches(file: string, targets: readonly string[], seen = new Set<string>()): boolean {
  if (targets.includes(file)) return true;
  if (seen.has(file) || !existsSync(join(REPOSITORY, file))) return false;
  seen.add(file);
  return importsOf(file).some((target) => reaches(target, targets, seen));
}

/** Wishes of a test file for its run. Each is a comment at the start of a line, followed by a colon and the reason. */
const WISHES = {
  /** Its result depends on the engine's sessions, locks or files, so the full tier runs it on both engines. */
  both: 'Runs on both engines',
  /** Another test covers it on PostgreSQL. */
  embedded: 'Runs on the embedded engine only',
  /** With its server it keeps every core busy. */
  alone: 'Runs alone on PostgreSQL',
  /** It waits most of the time, so it does not take another's slot. */
  beside: 'Runs alongside the others',
  /** Programs and privileges that a slow suite needs; listed in `docs/testing.md`. */
  needs: 'Needs',
} as const;

/** Returns the reason that `file` gives for a wish, or undefined if it does not have that wish. */
export function wishOf(file: string, wish: keyof typeof WISHES): string | undefined {
  return new RegExp(`^// ${WISHES[wish]}: (.+)$`, 'm').exec(read(file))?.[1];
}

export interface Job {
  file: string;
  engine: Engine;
}

/**
 * Returns the engines on which the full tier runs `file` if PostgreSQL is available. A fast file that neither uses the
 * database nor has random worlds was already run by `npm test` and would show nothing new, and neither would one without
 * random worlds that something else covers on PostgreSQL.
 */
function enginesInFull(file: string): Engine[] {
  const embedded = wishOf(file, 'embedded') !== undefined;
  if (tierOf(file) === 'fast' && !reaches(file, embedded ? [DEPTH] : [DATABASE, DEPTH])) return [];
  if (embedded) return ['pglite'];
  return wishOf(file, 'both') ? ['postgres', 'pglite'] : ['postgres'];
}

/**
 * Returns the jobs of a tier. `postgres` says whether a server is available; without one everything runs on the
 * embedded engine.
 */
export function jobsOf(tier: 'fast' | 'full' | 'slow', files: string[], postgres: boolean): Job[] {
  const onEmbedded = (file: string): Job => ({ file, engine: 'pglite' });
  if (tier !== 'full') return files.filter((file) => tierOf(file) === tier).map(onEmbedded);
  const chosen = files.filter((file) => tierOf(file) !== 'slow' && enginesInFull(file).length > 0);
  if (!postgres) return chosen.map(onEmbedded);
  return chosen.flatMap((file) => enginesInFull(file).map((engine) => ({ file, engine })));
}

/** Returns the files that `names` match, each once: a file's path, a folder, or a part of a path. */
export function named(files: string[], names: string[]): string[] {
  if (names.length === 0) return files;
  const all = names.flatMap((name) => {
    const path = relative(REPOSITORY, name);
    if (files.includes(path)) return [path];
    return files.filter((file) => file.includes(name));
  });
  return [...new Set(all)];
}
