import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { defer } from '../support/cleanup.ts';
import { skipWithoutTinyImage } from '../support/tiny-image.ts';

const ROOT = join(import.meta.dirname, '../..');
const TRIAL = `
  const { tryImage } = await import('./scripts/host-trial.ts');
  const { findBuilt } = await import('./scripts/image-cache.ts');
  await tryImage(await findBuilt('tiny')).catch((error) => console.log(error.message));`;

/** Returns the ids of the machines whose directories are in `directory`. */
function machines(directory: string): number[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const pids = files.filter((name) => name.endsWith('qemu.pid'));
  return pids.flatMap((name) => {
    const pid = Number(readFileSync(join(directory, name), 'utf8'));
    return pid > 0 ? [pid] : [];
  });
}

/** A zombie process has no command line. */
const runs = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the guest that a set-up tries`, { skip: await skipWithoutTinyImage() }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'q-'));
    defer(t, () => rmSync(directory, { recursive: true, force: true }));
    const child = spawn(process.execPath, ['--input-type=module', '-e', TRIAL], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const said = text(child.stdout);
    while (machines(directory).length === 0) {
      assert.equal(child.exitCode, null, 'it ended before it started a guest');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const [pid] = machines(directory);
    defer(t, () => {
      if (runs(pid!)) process.kill(pid!, 'SIGKILL');
    });
    child.kill(signal);
    assert.deepEqual(await exited, [0, null]);
    assert.match(await said, /a guest of tiny\S* does not start: interrupted/);
    assert.equal(runs(pid!), false, 'the guest runs on');
    assert.deepEqual(readdirSync(directory), []);
  });
}
