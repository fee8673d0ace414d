import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contextFor } from '../../cli/src/contexts.ts';
import { defer } from '../support/cleanup.ts';
import { cliWith } from './support/cli.ts';

const KEY = 'vk_0123456789_abcdefgh';

function home(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-cli-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const env: Record<string, string> = { HOME: directory };
  return { env, cli: cliWith(env), file: join(directory, '.config/vauban/contexts.json') };
}

test('contexts are stored only for their owner, with the key from standard input', async (t) => {
  const { env, cli, file } = home(t);
  const create = (name: string, url: string, input = `${KEY}\n`) =>
    cli(['context', 'create', name, '--url', url], { input });
  assert.equal((await create('prod', 'https://cloud.example/v1')).code, 0);
  assert.equal((await create('test', 'http://127.0.0.1:8080')).stderr, '');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(file, '..')).mode & 0o777, 0o700);
  assert.deepEqual(contextFor(env, undefined), { url: 'http://127.0.0.1:8080', key: KEY });
  assert.deepEqual(contextFor(env, 'prod'), { url: 'https://cloud.example', key: KEY });
  assert.deepEqual(contextFor({ ...env, VAUBAN_CONTEXT: 'prod' }, undefined).url, 'https://cloud.example');

  const list = await cli(['context', 'list']);
  assert.match(list.stdout, /^test +http:\/\/127\.0\.0\.1:8080 +yes$/m);
  assert.ok(!list.stdout.includes(KEY), 'keys are not shown');
  assert.equal((await cli(['context', 'use', 'prod'])).code, 0);
  assert.equal(contextFor(env, undefined).url, 'https://cloud.example');
  assert.equal((await cli(['context', 'delete', 'prod'])).code, 0);
  assert.throws(() => contextFor(env, undefined), /No service is configured/);
  assert.throws(() => contextFor(env, 'prod'), /There is no context "prod"/);
  assert.equal((await cli(['context', 'use', 'prod'])).code, 2);
});

test('a key in the environment goes only to the service that the environment names', (t) => {
  const { env } = home(t);
  const given = { ...env, VAUBAN_API_KEY: KEY, VAUBAN_URL: 'https://other.example/' };
  assert.deepEqual(contextFor(given, undefined), { url: 'https://other.example', key: KEY });
  assert.throws(() => contextFor({ ...env, VAUBAN_API_KEY: KEY }, undefined), /VAUBAN_URL is not/);
});

test('errors in a context are reported, and nothing is stored', async (t) => {
  const { env, cli, file } = home(t);
  const wrong: [string[], string, RegExp][] = [
    [['a b', '--url', 'https://x.example'], KEY, /not a valid context name/],
    [['__proto__', '--url', 'https://x.example'], KEY, /not a valid context name/],
    [['a', '--url', 'ftp://x.example'], KEY, /not the address of a service/],
    [['a', '--url', 'https://user:word@x.example'], KEY, /not the address of a service/],
    [['a', '--url', 'https://x.example'], '', /not an API key/],
    [['a', '--url', 'https://x.example'], 'two words', /not an API key/],
  ];
  for (const [words, input, message] of wrong) {
    const { code, stderr } = await cli(['context', 'create', ...words], { input });
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.throws(() => readFileSync(file), { code: 'ENOENT' });
  }
  const far = await cli(['context', 'create', 'a', '--url', 'http://192.0.2.1'], { input: KEY });
  assert.equal(far.code, 0);
  assert.match(far.stderr, /unencrypted/);
  chmodSync(file, 0o644);
  assert.throws(() => contextFor(env, undefined), /Other users can read/);
  assert.match((await cli(['vm', 'list'])).stderr, /chmod 600/);
});
