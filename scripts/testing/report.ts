import { relative } from 'node:path';
import { inspect } from 'node:util';
import { REPOSITORY } from '../../test/support/source.ts';
import type { Ended, Failure, FileResult } from './events.ts';

/** Number of failed tests that are listed again at the end, because often only the end of a long log is kept. */
const LISTED = 20;
const INDENT = '      ';

const indented = (text: string) => text.replace(/^/gm, INDENT);
const time = (seconds: number) => `${seconds.toFixed(1).padStart(6)} s`;

function failureInFull({ name, file, line, error }: Failure): string {
  return `  ✖ ${name}\n    ${relative(REPOSITORY, file)}:${line}\n${indented(inspect(error))}\n`;
}

function testLine({ name, nesting, outcome, milliseconds }: Ended): string {
  const mark = { passed: '✔', failed: '✖', skipped: '﹣' }[outcome];
  return `${'  '.repeat(nesting + 1)}${mark} ${name} (${milliseconds.toFixed(0)} ms)\n`;
}

/**
 * Returns the line of a file, followed by its failures; with `tests`, also by each of its tests. Shows the engine if
 * runs use several.
 */
export function fileReport(result: FileResult, { engine = false, tests = false } = {}): string {
  const { file, failures, skipped, passed, seconds, diagnostics, output } = result;
  const failed = failures.length > 0;
  const counts = [`${passed} passed`];
  if (failed) counts.push(`${failures.length} failed`);
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
  const where = engine ? ` ${result.engine.padEnd(8)}` : '';
  const line = `${failed ? 'FAILED' : 'ok    '}${where} ${time(seconds)}  ${file}  ${counts.join(', ')}\n`;
  const all = tests ? result.tests.map(testLine).join('') : '';
  const said = (tests || failed) && diagnostics.length > 0 ? `${indented(diagnostics.join('\n'))}\n` : '';
  const wrote = failed && output.trim() ? `    the end of its output:\n${indented(output.trimEnd())}\n` : '';
  return line + all + failures.map(failureInFull).join('') + said + wrote;
}

/** Returns how many tests were skipped for each reason, the most frequent first. */
export function skipReasons(results: FileResult[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const reason of results.flatMap(({ skipped }) => skipped))
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function failedTests(results: FileResult[]): string {
  const failures = results.flatMap(({ engine, failures }) =>
    failures.map((failure) => ({ engine, ...failure })),
  );
  if (failures.length === 0) return '';
  const lines = failures.slice(0, LISTED).map(({ engine, name, file, line, error }) => {
    const [reason] = error.message.split('\n');
    return `  ${relative(REPOSITORY, file)}:${line} on ${engine}: ${name}: ${reason}\n`;
  });
  if (failures.length > LISTED) lines.push(`  and ${failures.length - LISTED} more\n`);
  return `failed\n${lines.join('')}`;
}

/** Returns the end of a run's output: why tests were skipped, which failed, and the counts. */
export function summary(results: FileResult[], seconds: number): string {
  const sum = (count: (result: FileResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  const reasons = skipReasons(results).map(
    ([reason, count]) => `  ${String(count).padStart(4)}  ${reason}\n`,
  );
  const skipped = sum(({ skipped }) => skipped.length);
  return [
    reasons.length > 0 ? `skipped\n${reasons.join('')}` : '',
    failedTests(results),
    `${results.length} files in ${seconds.toFixed(0)} s\n`,
    `${sum(({ passed }) => passed)} passed, ${sum(({ failures }) => failures.length)} failed, ${skipped} skipped\n`,
  ].join('');
}

/** A terminal line that shows the progress of a run, and is removed when something else is written. */
export class Progress {
  readonly #files: number;
  readonly #out: NodeJS.WriteStream;
  readonly #start = performance.now();
  #done = 0;
  #failed = 0;

  constructor(files: number, out: NodeJS.WriteStream = process.stdout) {
    this.#files = files;
    this.#out = out;
  }

  /** Writes a file's report above the line. */
  file(report: string, failed: boolean): void {
    this.#done += 1;
    if (failed) this.#failed += 1;
    this.#clear();
    this.#out.write(report);
    this.#draw();
  }

  end(): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#out.isTTY) this.#out.write('\r\x1b[K');
  }

  #draw(): void {
    if (!this.#out.isTTY) return;
    const seconds = ((performance.now() - this.#start) / 1000).toFixed(0);
    const failed = this.#failed > 0 ? `, ${this.#failed} failed` : '';
    this.#out.write(`${this.#done} of ${this.#files} files${failed}, ${seconds} s`);
  }
}
