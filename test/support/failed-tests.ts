import { relative } from 'node:path';
import { REPOSITORY } from './source.ts';

/** A test that failed, as the runner's `test:fail` reports it. */
export interface Failure {
  /** The database of the run. */
  engine: string;
  name: string;
  /** Absolute. */
  file: string;
  line: number;
  message: string;
}

const SHOWN = 20;
const SHOWN_LINES = 8;

/**
 * What failed in all runs, for the end of the report: of a long log often only the end is kept, and the runner itself lists
 * the failures of one engine before the report of the next. Nothing where all passed.
 */
export function failedTests(failures: Failure[]): string {
  const shown = failures.slice(0, SHOWN).map(({ engine, name, file, line, message }) => {
    const reason = message.split('\n').slice(0, SHOWN_LINES).join('\n      ');
    return `  ${relative(REPOSITORY, file)}:${line} on ${engine}: ${name}\n      ${reason}\n`;
  });
  const more = failures.length - shown.length;
  if (more > 0) shown.push(`  and ${more} more\n`);
  return failures.length === 0 ? '' : `failed tests\n${shown.join('')}`;
}

/**
 * Why a file failed outside its tests, which nothing but its standard error has: from the first error or leak in it on.
 * Undefined where it wrote neither.
 */
export function complaint(stderr = ''): string | undefined {
  return /^(?:\w*Error|leak): .*/ms.exec(stderr)?.[0];
}
