import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKey, hashKey, isWellFormedKey, keyHint } from '../../server/access/api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a key reads vk_ and 33 characters, and is unique', () => {
  const keys = Array.from({ length: 500 }, generateKey);
  for (const key of keys) assert.match(key, /^vk_[0-9A-Za-z]{33}$/);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.every(isWellFormedKey));
});

test('its checksum detects every mistyped character and every swapped pair', () => {
  const key = generateKey();
  for (let i = 3; i < key.length; i++) {
    for (const character of ALPHABET) {
      const typo = key.slice(0, i) + character + key.slice(i + 1);
      assert.equal(isWellFormedKey(typo), typo === key, typo);
    }
    const swapped = key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2);
    if (i + 1 < key.length) assert.equal(isWellFormedKey(swapped), swapped === key, swapped);
  }
});

test('a malformed key is recognised without a look-up', () => {
  const key = generateKey();
  for (const text of [
    '',
    'vk_',
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.toUpperCase(),
    key.slice(3),
  ]) {
    assert.equal(isWellFormedKey(text), false, JSON.stringify(text));
  }
});

test('a key is stored as a hash, and recognised by its last four characters', () => {
  const key = generateKey();
  assert.deepEqual(hashKey(key), hashKey(key));
  assert.equal(hashKey(key).length, 32);
  assert.equal(keyHint(key), `vk_…${key.slice(-4)}`);
});
