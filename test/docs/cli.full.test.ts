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

test('every command of docs/cli.md prints the documented output', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service = await startService(t, { location, env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.1' } });
  const directory = await mkdtemp(join(tmpdir(), 'vauban-cli-docs-'));
  defer(t, () => rm(directory, { recursive: true }));
  const { host } = new URL(service.baseUrl);
  const steps = examples(await readFile(join(ROOT, 'docs/cli.md'), 'utf8'));
  assert.ok(steps.length > 12, 'the quick start has its examples');
  const script = scriptOf(steps, (command) => command.replaceAll('localhost:8080', host));
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: directory,
    KEY: service.demoKey!,
  };
  // As an installation puts it on the PATH.
  const named = `vauban() { node ${join(ROOT, 'cli/bin/vauban.js')} "$@"; }\n`;
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', named + script], { env, cwd: directory });
  const outputs = outputsOf(stdout);
  for (const [index, { command, shown }] of steps.entries())
    assert.match(outputs[index]!, patternOf(shown), command);
});
