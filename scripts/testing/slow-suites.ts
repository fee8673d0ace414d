import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../test/support/source.ts';
import type { FileResult } from './events.ts';
import { testFiles, tierOf, wishOf } from './tiers.ts';

const PAGE = join(REPOSITORY, 'docs/testing.md');
const TABLE = /(<!-- slow suites -->\n)([\s\S]*?)(<!-- end -->)/;
const HEAD = '| suite | needs | takes | last passed |\n|---|---|---|---|\n';

const git = (...args: string[]) => execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).trim();

/** Returns the cells of each row, by the suite's path. */
function rowsOf(table: string): Map<string, string[]> {
  const rows = [...table.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)];
  return new Map(rows.map(([, file, cells]) => [file!, cells!.split('|').map((cell) => cell.trim())]));
}

/** Returns the table of the slow suites, with the rows of `passed` updated. */
export function slowTable(table: string, passed: { file: string; seconds: number }[], when: string): string {
  const before = rowsOf(table);
  const lines = testFiles()
    .filter((file) => tierOf(file) === 'slow')
    .map((file) => {
      const [, takes = 'unknown', last = 'not recorded yet'] = before.get(file) ?? [];
      const result = passed.find((one) => one.file === file);
      const time = result ? duration(result.seconds) : takes;
      return `| \`${file}\` | ${wishOf(file, 'needs')?.replace(/\.$/, '') ?? ''} | ${time} | ${result ? when : last} |\n`;
    });
  return HEAD + lines.join('');
}

const duration = (seconds: number) =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** Updates the rows of the suites that passed, with their duration, the date and the commit. */
export function recordSlow(results: FileResult[]): void {
  const passed = results.filter(({ failures, passed }) => failures.length === 0 && passed > 0);
  const changes = git('status', '--porcelain', '--', 'server', 'test', 'scripts', 'panel', 'sdk', 'cli');
  const when = `${new Date().toISOString().slice(0, 10)}, ${git('rev-parse', '--short', 'HEAD')}${changes ? ' and changes' : ''}`;
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(TABLE, (_, head, table, end) => head + slowTable(table, passed, when) + end),
  );
}
