import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { emitMan } from '../../scripts/emit-man.ts';

const MANUAL = join(import.meta.dirname, '../../cli/man');
const hasMandoc = spawnSync('mandoc', ['-T', 'lint', '/dev/null']).error === undefined;
const NO_MANDOC = hasMandoc || process.env.VAUBAN_REQUIRE_MANDOC === '1' ? false : 'mandoc is not installed';

test('the manual has a current page for each command', () => {
  const pages = emitMan();
  assert.ok(pages.has('vauban.1') && pages.has('vauban-vm-create.1') && pages.has('vauban-ssh.1'));
  const advice = 'cli/man is out of date: run `npm run generate` and commit the result';
  assert.deepEqual(readdirSync(MANUAL).sort(), [...pages.keys()].sort(), advice);
  for (const [name, text] of pages)
    assert.ok(readFileSync(join(MANUAL, name), 'utf8') === text, `${name}: ${advice}`);
});

test('mandoc finds nothing wrong with the manual', { skip: NO_MANDOC }, () => {
  const files = readdirSync(MANUAL);
  const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], {
    cwd: MANUAL,
    encoding: 'utf8',
  });
  assert.equal(stdout + stderr, '');
  const shown = execFileSync('mandoc', ['-T', 'utf8', 'vauban-vm-create.1'], {
    cwd: MANUAL,
    encoding: 'utf8',
  });
  // A bold letter is printed twice, over a backspace.
  const plain = shown.replaceAll(new RegExp(`.${'\b'}`, 'g'), '');
  assert.match(plain, /vauban vm create hostname --plan text --template text\s+\[options\]/);
  assert.match(plain, /vauban vm create web-1 --plan s1 --template debian-12 --wait/);
});
