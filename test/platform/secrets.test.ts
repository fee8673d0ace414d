import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSecretBox, SecretBox, UnknownKeyError } from '../../server/platform/secrets.ts';
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
  assert.ok(!Buffer.from(sealed.split('.')[1]!, 'base64').includes('secret'));
  assert.equal(sealed.split('.')[0], box.keyId);
  assert.throws(() => box.open(sealed, 'password'));
  assert.throws(() => new SecretBox(randomBytes(32)).open(sealed, 'reply'));
});

test('a sealed text that was changed anywhere, or cut, is refused', () => {
  const box = new SecretBox(randomBytes(32));
  const [id, text] = box.seal('secret', 'reply').split('.');
  const sealed = Buffer.from(text!, 'base64');
  const again = (bytes: Buffer) => `${id}.${bytes.toString('base64')}`;
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i]! ^= 1;
    assert.throws(() => box.open(again(changed), 'reply'), `byte ${i}`);
    assert.throws(() => box.open(again(sealed.subarray(0, i)), 'reply'), `cut to ${i}`);
  }
});

test('the first start makes a key that only its owner can read, and later ones use it', async (t) => {
  const directory = join(await temporaryDirectory(t), 'data');
  const sealed = (await openSecretBox({ dataDir: directory })).seal('secret', 'reply');
  const file = join(directory, 'installation.key');
  assert.match(await readFile(file, 'utf8'), /^[0-9a-f]{64}$/);
  await chmod(file, 0o644);
  assert.equal((await openSecretBox({ dataDir: directory })).open(sealed, 'reply'), 'secret');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a configured key is used instead, and nothing is written', async (t) => {
  const directory = await temporaryDirectory(t);
  const key = randomBytes(32);
  const sealed = (await openSecretBox({ secretKey: [key], dataDir: directory })).seal('secret', 'reply');
  assert.equal(new SecretBox(key).open(sealed, 'reply'), 'secret');
  await assert.rejects(stat(join(directory, 'installation.key')), { code: 'ENOENT' });
  assert.throws(() => new SecretBox(randomBytes(16)), /32 bytes/);
});

test('the first key encrypts, each decrypts its own values, and another is named', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = new SecretBox(old).seal('secret', 'reply');
  const both = new SecretBox(fresh, old);
  assert.equal(both.open(before, 'reply'), 'secret');
  const after = both.seal('secret', 'reply');
  assert.equal(new SecretBox(fresh).open(after, 'reply'), 'secret');
  assert.throws(() => new SecretBox(old).open(after, 'reply'), {
    name: 'UnknownKeyError',
    message: new RegExp(`the key ${both.keyId}`),
  });
});

test('a marker is known as long as its key exists', () => {
  const [old, fresh, bytes] = [randomBytes(32), randomBytes(32), randomBytes(16)];
  const mark = new SecretBox(old).mark(bytes, 'api key');
  const both = new SecretBox(fresh, old);
  assert.ok(both.isMark(mark.subarray(0, 6), bytes, 'api key'));
  assert.ok(!both.isMark(mark, bytes, 'ticket'));
  assert.ok(!new SecretBox(fresh).isMark(mark, bytes, 'api key'));
  assert.ok(new SecretBox(fresh).isMark(both.mark(bytes, 'api key'), bytes, 'api key'));
});

test('values from before keys had ids stay readable', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const withoutId = new SecretBox(old).seal('secret', 'reply').split('.')[1]!;
  assert.equal(new SecretBox(old).open(withoutId, 'reply'), 'secret');
  assert.equal(new SecretBox(fresh, old).open(withoutId, 'reply'), 'secret');
  assert.throws(() => new SecretBox(fresh).open(withoutId, 'reply'), UnknownKeyError);
  assert.throws(() => new SecretBox(old).open(withoutId, 'password'));
});

test('keys come from a file outside the data directory, and a file without any is named', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'credential');
  const [first, second] = [randomBytes(32), randomBytes(32)];
  await writeFile(file, `${first.toString('hex')}\n${second.toString('base64')}\n`);
  const dataDir = join(directory, 'data');
  const box = await openSecretBox({ secretKeyFile: file, dataDir });
  assert.equal(box.keyId, new SecretBox(first).keyId);
  assert.equal(box.open(new SecretBox(second).seal('secret', 'reply'), 'reply'), 'secret');
  await assert.rejects(stat(dataDir), { code: 'ENOENT' });
  await writeFile(file, '');
  const message = new RegExp(`^VAUBAN_SECRET_KEY_FILE: ${file} must contain keys`);
  await assert.rejects(openSecretBox({ secretKeyFile: file, dataDir }), { name: 'ConfigError', message });
  await assert.rejects(openSecretBox({ secretKeyFile: `${file}.away`, dataDir }), /cannot be read/);
  await assert.rejects(openSecretBox({ secretKey: [first], secretKeyFile: file, dataDir }), /either this or/);
});
