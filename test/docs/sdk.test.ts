import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { defer } from '../support/cleanup.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

test('the examples of docs/sdk.md are one program that runs', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service = await startService(t, { location, env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.1' } });
  const directory = await mkdtemp(join(tmpdir(), 'vauban-sdk-docs-'));
  defer(t, () => rm(directory, { recursive: true }));
  const markdown = await readFile(join(ROOT, 'docs/sdk.md'), 'utf8');
  const blocks = [...markdown.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
  assert.equal(blocks.length, 3);
  const program = blocks
    .join('\n')
    .replaceAll("'@vauban/client'", `'${pathToFileURL(join(ROOT, 'sdk/src/index.ts'))}'`)
    .replace('https://cloud.example', service.baseUrl);
  const file = join(directory, 'program.mts');
  await writeFile(file, program);
  const env = { VAUBAN_API_KEY: service.demoKey! };
  const { stdout } = await run(process.execPath, [file], { env });
  assert.match(stdout, /^web-1 running$/m);
  assert.match(stdout, /^Missing: \d+ EUR req_/m);
  assert.match(stdout, /Filesystem/);
  assert.match(stdout, /load average/);
});
