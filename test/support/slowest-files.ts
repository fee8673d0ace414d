import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { REPOSITORY } from './source.ts';

const SHOWN = 15;

/** A reporter for the runner: which files took longest, in seconds, once all have ended. */
export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; seconds: number }[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:summary' || data.file === undefined) continue;
    files.push({ file: relative(REPOSITORY, data.file), seconds: data.duration_ms / 1000 });
  }
  if (files.length <= SHOWN) return;
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const lines = slowest.map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}\n`);
  yield `the slowest of ${files.length} files\n${lines.join('')}`;
}
