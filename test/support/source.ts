import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../..');

/** Returns every file of the project by its path in the repository: tracked, or new and not ignored. */
export function projectFiles(): string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const output = execFileSync('git', list, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return output.split('\0').filter((path) => path && existsSync(join(REPOSITORY, path)));
}

/** Returns the TypeScript files of the project under `directory`. */
export function sources(directory: string): string[] {
  return projectFiles().filter((path) => path.startsWith(`${directory}/`) && path.endsWith('.ts'));
}

export function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

/** The project's version, which is part of the file names of packed packages. */
export const VERSION: string = JSON.parse(read('package.json')).version;

/** An import of one file by another; `type` if nothing of it remains at run time. */
export interface Import {
  /** The path of a file in the project, or the name of a package. */
  target: string;
  by: 'value' | 'type' | 'call';
}

// `import type … from`, `import { … } from`, `export … from`, `import '…'`, and `import('…')` in a function.
const STATIC = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\sfrom\s+)?'([^']+)'/gm;
const CALL = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Returns whether all of `names`, as in `{ type A, type B }`, are types. */
const areTypes = (names = '') => /^\{\s*(type \w+( as \w+)?,?\s*)+\}$/.test(names.trim());

export function importsWith(path: string): Import[] {
  const directory = dirname(join(REPOSITORY, path));
  const resolved = (target: string) =>
    target.startsWith('.') ? relative(REPOSITORY, resolve(directory, target)) : target;
  const text = read(path);
  return [
    ...text.matchAll(STATIC).map(([, type, names, target]): Import => {
      return { target: resolved(target!), by: type || areTypes(names) ? 'type' : 'value' };
    }),
    ...text.matchAll(CALL).map(([, target]): Import => ({ target: resolved(target!), by: 'call' })),
  ];
}

/** Returns the imports of `path`: files of the project by path, packages by name. */
export function importsOf(path: string): string[] {
  return importsWith(path).map(({ target }) => target);
}

/** Returns the lines of code in `path`, with their numbers and without comments. */
export function codeLines(path: string): { number: number; text: string }[] {
  return read(path)
    .split('\n')
    .map((text, index) => ({ number: index + 1, text: text.replace(/\s\/\/ .*$/, '') }))
    .filter(({ text }) => !/^\s*(\/\/|\/?\*)/.test(text));
}
