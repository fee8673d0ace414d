import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { REPOSITORY } from '../../acceptance/support/document.ts';
import { defer } from '../../support/cleanup.ts';

const exec = promisify(execFile);
const MOST_OUTPUT = 64 * 1_048_576;

const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** A temporary project with the tools, the description and the compiler options. */
export interface Workshop {
  directory: string;
  write(file: string, text: string): void;
  read(file: string): string;
  /** Runs a program below node_modules and returns its output; if it fails, throws with the whole output. */
  run(program: string, words: string[]): Promise<string>;
}

/** Installs the tools with pinned versions: nothing else here depends on them. Their install scripts are not run. */
export async function openWorkshop(t: TestContext): Promise<Workshop> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-clients-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
  const packages = readFileSync(join(import.meta.dirname, 'packages.json'), 'utf8');
  write(
    'package.json',
    JSON.stringify({ private: true, type: 'module', dependencies: JSON.parse(packages) }),
  );
  write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  copyFileSync(join(REPOSITORY, 'openapi.json'), join(directory, 'openapi.json'));
  const options = { cwd: directory, maxBuffer: MOST_OUTPUT };
  await exec('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], options);
  return {
    directory,
    write,
    read: (file) => readFileSync(join(directory, file), 'utf8'),
    async run(program, words) {
      const file = program.startsWith('/') ? program : join(directory, 'node_modules', program);
      try {
        return (await exec(process.execPath, [file, ...words], options)).stdout;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(`${program} ${words.join(' ')}\n${stdout}\n${stderr}`.slice(0, 8_000));
      }
    },
  };
}
