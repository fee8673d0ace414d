import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { importsWith, projectFiles, REPOSITORY, read } from '../../test/support/source.ts';

/** A change to one of these may affect any result. */
const EVERYTHING = ['package.json', 'package-lock.json', 'tsconfig.json'];
/** They read all files of the project, so any change affects them, and take only seconds. */
const LAWS = 'test/laws/';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter(Boolean);

/**
 * Returns the files that differ from `base`: changed in later commits, uncommitted, or new. Without `base` (a clone
 * without a remote), only the uncommitted ones.
 */
export function changedFiles(base = 'origin/main'): string[] {
  const known = git('for-each-ref', '--format=%(refname:short)').includes(base);
  const since = known ? git('merge-base', base, 'HEAD')[0]! : 'HEAD';
  return [
    ...git('diff', '--name-only', '--no-renames', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/**
 * The files of the project, and the files that import each at run time. Type imports leave nothing behind that a test
 * could notice.
 */
interface Graph {
  all: string[];
  sources: string[];
  importedBy: Map<string, string[]>;
}

let graph: Graph | undefined;

/** Reads every source, which takes a second; the result is kept for the whole run. */
function graphOf(): Graph {
  const all = projectFiles();
  const sources = all.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  return { all, sources, importedBy: importers(sources) };
}

function importers(sources: string[]): Map<string, string[]> {
  const by = new Map<string, string[]>();
  for (const file of sources) {
    for (const { target, by: kind } of importsWith(file)) {
      if (kind !== 'type') by.set(target, [...(by.get(target) ?? []), file]);
    }
  }
  return by;
}

/**
 * Returns files that mention another, such as a page that a test reads: by its path, or by its name if no other file
 * has that name. The other file may have been deleted.
 */
function mentions(changed: string, sources: string[], all: string[]): string[] {
  const name = basename(changed);
  const unique = all.every((file) => file === changed || basename(file) !== name);
  return sources.filter((file) => {
    const text = textOf(file);
    return text.includes(changed) || (unique && text.includes(name));
  });
}

const texts = new Map<string, string>();

/** Returns a source's text, cached because each searched file is searched for in all sources. */
function textOf(file: string): string {
  const text = texts.get(file) ?? read(file);
  texts.set(file, text);
  return text;
}

/** A test that a change can affect, with the number of imports between them. */
export interface Reached {
  test: string;
  distance: number;
}

/**
 * Returns the `tests` that the `changed` files can affect: through imports, and through mentions of files that no one
 * imports.
 */
export function reachedBy(changed: string[], tests: string[]): Reached[] {
  if (changed.length === 0) return [];
  if (changed.some((file) => EVERYTHING.includes(file))) return tests.map((test) => ({ test, distance: 1 }));
  graph ??= graphOf();
  const { all, sources, importedBy } = graph;
  const isTest = (file: string) => file.endsWith('.test.ts');
  // A program run by another process, or a worker, is code that no one imports.
  const usersOf = (file: string) => {
    const importers = importedBy.get(file);
    if (importers) return importers;
    return isTest(file) ? [] : mentions(file, sources, all);
  };
  const distances = new Map(changed.map((file) => [file, 0]));
  // Breadth first: a Map is iterated in insertion order, including entries added during the loop.
  for (const [file, distance] of distances)
    for (const user of usersOf(file)) if (!distances.has(user)) distances.set(user, distance + 1);
  return tests.flatMap((test) => {
    const distance = distances.get(test) ?? (test.startsWith(LAWS) ? 0 : undefined);
    return distance === undefined ? [] : [{ test, distance }];
  });
}

/**
 * Returns the nearest of the affected tests whose expected durations fit into `seconds`. A central part of the service
 * affects every test that starts the service, but tests far from the change rarely fail when the near ones pass.
 * Changed tests are always included.
 */
export function nearest(reached: Reached[], seconds: number, expected: (test: string) => number): string[] {
  let left = seconds;
  const inOrder = reached.toSorted((a, b) => a.distance - b.distance || expected(a.test) - expected(b.test));
  return inOrder.flatMap(({ test, distance }) => {
    const cost = expected(test);
    if (distance > 0 && cost > left) return [];
    left -= cost;
    return [test];
  });
}
