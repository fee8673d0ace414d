import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../..');

/** Every file of the project, by its path in the repository: tracked, or new and not ignored. */
export function projectFiles(): string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const output = execFileSync('git', list, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return output.split('\0').filter((path) => path && existsSync(join(REPOSITORY, path)));
}

/** The TypeScript files of the project under `directory`. */
export function sources(directory: string): string[] {
  return projectFiles().filter((path) => path.startsWith(`${directory}/`) && path.endsWith('.ts'));
}

export function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

/** What `path` imports: files of the project by their path in it, packages by their name. */
export function importsOf(path: string): string[] {
  const directory = dirname(join(REPOSITORY, path));
  return [...read(path).matchAll(IMPORT)].map(([, target]) =>
    target!.startsWith('.') ? relative(REPOSITORY, resolve(directory, target!)) : target!,
  );
}

/** The lines of `path` that are code, with their numbers; comments only talk about things. */
export function codeLines(path: string): { number: number; text: string }[] {
  return read(path)
    .split('\n')
    .map((text, index) => ({ number: index + 1, text: text.replace(/\s\/\/ .*$/, '') }))
    .filter(({ text }) => !/^\s*(\/\/|\/?\*)/.test(text));
}
