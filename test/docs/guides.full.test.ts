import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readGuides } from '../../site/build.ts';
import { REPOSITORY } from '../acceptance/support/document.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject, newVm, protect } from '../acceptance/support/world.ts';
import { defer } from '../support/cleanup.ts';
import { examples, outputsOf, patternOf, scriptOf } from '../support/examples.ts';

const run = promisify(execFile);

test('the guides work as written', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'vauban-guides-'));
  defer(t, () => rm(home, { recursive: true }));
  const { operator, client, baseUrl } = await start(t);
  const subject = await newSubject(operator, client);
  const key = await operator.key(subject.account, SCOPES);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    VAUBAN_URL: baseUrl(),
    VAUBAN_API_KEY: key,
  };
  // As an installation puts it on the PATH.
  const named = `vauban() { node ${join(REPOSITORY, 'cli/bin/vauban.js')} "$@"; }\n`;

  for (const { name, text } of await readGuides()) {
    await t.test(name, async () => {
      const steps = examples(text);
      assert.ok(steps.length > 0);
      const as = (command: string) =>
        command.replace('https://cloud.example', baseUrl()).replace('vk_…', key);
      const { stdout } = await run('bash', ['--norc', '-euc', named + scriptOf(steps, as)], {
        env,
        cwd: home,
      });
      const outputs = outputsOf(stdout);
      for (const [index, { command, shown }] of steps.entries())
        assert.match(outputs[index]!, patternOf(shown), command);
      const programs = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => program!);
      for (const program of programs) await runProgram(home, program, env);
    });
    // The other guides need a VM, and this one has deleted its own.
    if (name === 'first-vm') await protect(subject, (await newVm(subject.client, 'web-1')).ipv4!);
  }
});

async function runProgram(home: string, program: string, env: Record<string, string>): Promise<void> {
  const file = join(home, 'program.mts');
  const client = pathToFileURL(join(REPOSITORY, 'sdk/src/index.ts')).pathname;
  await writeFile(file, program.replace("'@vauban/client'", `'${client}'`));
  const { stdout } = await run(process.execPath, [file], { env });
  assert.notEqual(stdout.trim(), '');
}
