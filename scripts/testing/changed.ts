import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { importsWith, projectFiles, REPOSITORY, read } from '../../test/support/source.ts';

/** A change of one of these may change any result. */
const EVERYTHING = ['package.json', 'package-lock.json', 'tsconfig.json'];
/** Read all files of the project, whichever changed, and take seconds. */
const LAWS = 'test/laws/';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter(Boolean);

/**
 * The files that differ from `base`: by commits since, by uncommitted changes, and new ones. Without `base` (a clone that has no
 * remote) the uncommitted ones.
 */
export function changedFiles(base = 'origin/main'): string[] {
  const known = git('for-each-ref', '--format=%(refname:short)').includes(base);
  const since = known ? git('merge-base', base, 'HEAD')[0]! : 'HEAD';
  return [
    ...git('diff', '--name-only', '--no-renames', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** The files of the project, and who imports each at run time; a type leaves nothing behind that a test could notice. */
interface Graph {
  all: string[];
  sources: string[];
  importedBy: Map<string, string[]>;
}

let graph: Graph | undefined;

/** Reads every source, which takes a second; what a run found stays true for it. */
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
 * Files that name another, such as a page that a test reads: by its path, or by its name if no other file has it. The other
 * may have been deleted.
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

/** A source's text, read once: every file that is looked for is looked for in all of them. */
function textOf(file: string): string {
  const text = texts.get(file) ?? read(file);
  texts.set(file, text);
  return text;
}

/** A test that a change can reach, with the number of imports between them. */
export interface Reached {
  test: string;
  distance: number;
}

/** Returns the `tests` that the `changed` files can reach: through imports, and through the names of files that no one imports. */
export function reachedBy(changed: string[], tests: string[]): Reached[] {
  if (changed.length === 0) return [];
  if (changed.some((file) => EVERYTHING.includes(file))) return tests.map((test) => ({ test, distance: 1 }));
  graph ??= graphOf();
  const { all, sources, importedBy } = graph;
  const isTest = (file: string) => file.endsWith('.test.ts');
  // A program that another process runs, or a worker, is code that no one imports.
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
 * Returns the nearest of the reached tests whose expected durations fit into `seconds`. A part of the service that everything is
 * composed of reaches every test that starts the service: those far from the change rarely fail when the near ones pass.
 * Changed tests are always among the result.
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
