import { relative } from 'node:path';
import { REPOSITORY } from './source.ts';

const SHOWN = 15;

/** Which files took longest, in seconds, a line each; nothing where there are few. */
export function slowestFiles(files: { file: string; seconds: number }[]): string {
  if (files.length <= SHOWN) return '';
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const lines = slowest.map(
    ({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${relative(REPOSITORY, file)}\n`,
  );
  return `the slowest of ${files.length} files\n${lines.join('')}`;
}
