import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { defer } from '../support/cleanup.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { examples, outputsOf, patternOf, scriptOf } from '../support/examples.ts';
import { startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

test('every command of the first steps prints the documented output', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service = await startService(t, { location, env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.1' } });
  const directory = await mkdtemp(join(tmpdir(), 'vauban-first-steps-'));
  defer(t, () => rm(directory, { recursive: true }));
  const { host } = new URL(service.baseUrl);
  const steps = examples(await readFile(join(ROOT, 'docs/first-steps.md'), 'utf8'));
  assert.ok(steps.length > 15, 'the page has its examples');

  const script = scriptOf(steps, (command) =>
    command.replaceAll('localhost:8080', host).replace('KEY=vk_…', `KEY=${service.demoKey}`),
  );
  const env = {
    PATH: `${dirname(process.execPath)}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
    HOME: directory,
    VAUBAN_DATA_DIR: dirname(service.operatorSocket),
  };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env, cwd: ROOT });
  const outputs = outputsOf(stdout);
  for (const [index, { command, shown }] of steps.entries()) {
    assert.match(outputs[index]!, patternOf(shown), command);
  }
});
