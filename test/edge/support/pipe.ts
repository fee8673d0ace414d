import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';

/** Creates a named pipe, such as a flow collector writes to; removed when the test ends. */
export function makePipe(t: TestContext, mode = 0o660): string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-flows-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  chmodSync(pipe, mode);
  return pipe;
}
