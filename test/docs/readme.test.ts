import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { defer } from '../support/cleanup.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Example {
  command: string;
  /** What the README shows; "…" stands for anything. */
  shown: string;
}

/** The console examples of a document: lines that begin with "$ ", each with the lines after it. */
function examples(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/```console\n(.*?)```/gs)].map((match) => match[1]!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command, ...shown] = part.trimEnd().split('\n');
        return { command: command!, shown: shown.join('\n') };
      }),
  );
}

function pattern(shown: string): RegExp {
  const escaped = shown.split('…').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[\\s\\S]*')}$`);
}

test('every command of the README prints what the README shows', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service = await startService(t, { location, env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.1' } });
  const directory = await mkdtemp(join(tmpdir(), 'vauban-readme-'));
  defer(t, () => rm(directory, { recursive: true }));
  const { host } = new URL(service.baseUrl);
  const steps = examples(await readFile(join(ROOT, 'README.md'), 'utf8'));
  assert.ok(steps.length > 15, 'the README has its examples');

  // One shell for all of them, as a reader has: variables and functions carry over.
  const marker = '--- next example ---';
  const script = steps
    .map(({ command }) =>
      command.replaceAll('localhost:8080', host).replace('KEY=vk_…', `KEY=${service.demoKey}`),
    )
    .map((command) => `${command}\necho '${marker}'`)
    .join('\n');
  const env = {
    PATH: `${dirname(process.execPath)}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
    HOME: directory,
    VAUBAN_DATA_DIR: dirname(service.operatorSocket),
  };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env, cwd: ROOT });
  const outputs = stdout.split(`${marker}\n`);
  for (const [index, { command, shown }] of steps.entries()) {
    assert.match(outputs[index]!.trimEnd(), pattern(shown), command);
  }
});
