import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { defer } from '../support/cleanup.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Returns the programs in docs/sdk.md, of which the last one is a test itself. */
async function examples(): Promise<string[]> {
  const markdown = await readFile(join(ROOT, 'docs/sdk.md'), 'utf8');
  return [...markdown.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
}

/** Runs a program with the sources of the SDK and returns its output. */
async function outputOf(
  t: TestContext,
  code: string,
  { args = [], env }: { args?: string[]; env: Record<string, string> },
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-sdk-docs-'));
  defer(t, () => rm(directory, { recursive: true }));
  const source = (name: string) => `'${pathToFileURL(join(ROOT, 'sdk/src', name))}'`;
  const file = join(directory, 'program.mts');
  await writeFile(
    file,
    code
      .replaceAll("'@vauban/client'", source('index.ts'))
      .replaceAll("'@vauban/client/testing'", source('testing.ts')),
  );
  return (await run(process.execPath, [...args, file], { env })).stdout;
}

test('the examples of docs/sdk.md are one program that runs', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service = await startService(t, { location, env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.1' } });
  const blocks = (await examples()).slice(0, -1);
  assert.equal(blocks.length, 3);
  const program = blocks.join('\n').replace('https://cloud.example', service.baseUrl);
  const stdout = await outputOf(t, program, { env: { VAUBAN_API_KEY: service.demoKey! } });
  assert.match(stdout, /^web-1 running$/m);
  assert.match(stdout, /^Missing: \d+ EUR req_/m);
  assert.match(stdout, /Filesystem/);
  assert.match(stdout, /load average/);
});

test('the test that docs/sdk.md shows passes', async (t) => {
  const program = (await examples()).at(-1)!;
  const args = ['--test', '--test-reporter=tap'];
  // Without this test runner's environment, the runner started in the program is independent.
  const { PATH, TMPDIR } = process.env;
  const env = { PATH: PATH!, ...(TMPDIR && { TMPDIR }), VAUBAN_SERVER: ROOT };
  assert.match(await outputOf(t, program, { args, env }), /^# pass 1$/m);
});
