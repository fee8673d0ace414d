import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSecretBox, SecretBox } from '../../server/platform/secrets.ts';
import { defer } from '../support/cleanup.ts';

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-'));
  defer(t, () => rm(directory, { recursive: true }));
  return directory;
}

test('a sealed text can be read again, for its purpose only', () => {
  const box = new SecretBox(randomBytes(32));
  for (const text of ['', 'pässwörd', 'x'.repeat(100_000)]) {
    assert.equal(box.open(box.seal(text, 'reply'), 'reply'), text);
  }
  const sealed = box.seal('secret', 'reply');
  assert.notEqual(box.seal('secret', 'reply'), sealed, 'equal texts must not look equal');
  assert.ok(!Buffer.from(sealed, 'base64').includes('secret'));
  assert.throws(() => box.open(sealed, 'password'));
  assert.throws(() => new SecretBox(randomBytes(32)).open(sealed, 'reply'));
});

test('a sealed text that was changed anywhere, or cut, is refused', () => {
  const box = new SecretBox(randomBytes(32));
  const sealed = Buffer.from(box.seal('secret', 'reply'), 'base64');
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i]! ^= 1;
    assert.throws(() => box.open(changed.toString('base64'), 'reply'), `byte ${i}`);
    assert.throws(() => box.open(sealed.subarray(0, i).toString('base64'), 'reply'), `cut to ${i}`);
  }
});

test('the first start makes a key that only its owner can read, and later ones use it', async (t) => {
  const directory = join(await temporaryDirectory(t), 'data');
  const sealed = (await openSecretBox(undefined, directory)).seal('secret', 'reply');
  const file = join(directory, 'installation.key');
  assert.match(await readFile(file, 'utf8'), /^[0-9a-f]{64}$/);
  await chmod(file, 0o644);
  assert.equal((await openSecretBox(undefined, directory)).open(sealed, 'reply'), 'secret');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a configured key is used instead, and nothing is written', async (t) => {
  const directory = await temporaryDirectory(t);
  const key = randomBytes(32);
  const sealed = (await openSecretBox(key, directory)).seal('secret', 'reply');
  assert.equal(new SecretBox(key).open(sealed, 'reply'), 'secret');
  await assert.rejects(stat(join(directory, 'installation.key')), { code: 'ENOENT' });
  assert.throws(() => new SecretBox(randomBytes(16)), /32 bytes/);
});
