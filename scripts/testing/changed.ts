import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Who imports each file at run time; a type leaves nothing behind that a test could notice. */
function importers(sources: string[]): Map<string, string[]> {
  const by = new Map<string, string[]>();
  for (const file of sources) {
    for (const { target, by: kind } of importsWith(file)) {
      if (kind !== 'type') by.set(target, [...(by.get(target) ?? []), file]);
    }
  }
  return by;
}

/** Files that name another, such as a page that a test reads: by its path, or by its name if no other file has it. */
function mentions(changed: string, sources: string[], all: string[]): string[] {
  const name = basename(changed);
  const unique = all.filter((file) => basename(file) === name).length === 1;
  return sources.filter((file) => {
    const text = read(file);
    return text.includes(changed) || (unique && text.includes(name));
  });
}

/** Which of `tests` the `changed` files can reach: through imports, and through the names of files that are no code. */
export function reachedBy(changed: string[], tests: string[]): string[] {
  if (changed.some((file) => EVERYTHING.includes(file))) return tests;
  if (changed.length === 0) return [];
  const all = projectFiles();
  const sources = all.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  const importedBy = importers(sources);
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const importer of importedBy.get(file) ?? []) visit(importer);
  };
  for (const file of changed) {
    visit(file);
    if (!/\.tsx?$/.test(file) && existsSync(join(REPOSITORY, file)))
      for (const reader of mentions(file, sources, all)) visit(reader);
  }
  return tests.filter((test) => reached.has(test) || test.startsWith(LAWS));
}
