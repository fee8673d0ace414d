import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { readableLine } from '../../server/platform/readable-log.ts';

const HOSTILE = 'said\u001b]0;owned\u0007 \u009b2J\u202e\r\n12:00:00 info  paid';
const SHOWN = 'said\\x1b]0;owned\\x07 \\x9b2J\\u{202e}\\x0d\\x0a12:00:00 info  paid';

const line = (entry: object) =>
  readableLine(JSON.stringify({ level: 'warn', time: '2026-01-01T12:00:00.000Z', ...entry }));

test('the readable log shows untrusted text and obeys none of it', () => {
  const written = line({ msg: HOSTILE, reply: HOSTILE, word: 'a\u009bb', nested: { reply: HOSTILE } });
  const own = written.replace(/\p{Cc}\[\d+m/gu, '');
  assert.doesNotMatch(own.trimEnd(), /[\p{Cc}\p{Cf}]/u, JSON.stringify(own));
  assert.equal(own.trimEnd().split('\n').length, 1, 'one line for one entry');
  assert.ok(own.includes(SHOWN), own);
  assert.ok(own.includes('word=a\\x9bb'), own);
  const nested = /nested=(\{.*\})/.exec(own)?.[1];
  assert.deepEqual(JSON.parse(nested!), { reply: HOSTILE }, 'JSON in it is exact');
});

test('a stack keeps its lines', () => {
  const written = line({ msg: 'failed', err: { message: 'm', stack: 'Error: a\u001b[2J\n    at b' } });
  assert.equal(
    stripVTControlCharacters(written).split('\n').slice(1).join('\n'),
    'Error: a\\x1b[2J\n    at b\n',
  );
});
