import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

/** One character of each kind that controls a terminal or reverses text: C0, DEL, C1, bidi, invisible, separators. */
const KINDS = {
  escape: '\u001b',
  bell: '\u0007',
  'carriage return': '\r',
  'line feed': '\n',
  delete: '\u007f',
  'control sequence introducer': '\u009b',
  'operating system command': '\u009d',
  'right-to-left override': '\u202e',
  isolate: '\u2066',
  'zero width space': '\u200b',
  'line separator': '\u2028',
  tag: '\u{e0041}',
};
const HOSTILE = `mail.example said ${Object.values(KINDS).join('x')}`;

test('vaubanctl shows untrusted text and never obeys it', async (t) => {
  const { db, dataDir, newAccount } = await startOperator(t);
  const accountId = await newAccount();
  // Written through the store because the API refuses such a name; a mail server's reply can get there without the API.
  await db.query(sql`update accounts set name = ${HOSTILE} where id = ${accountId}`);
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'account', ...args);

  for (const args of [['list'], ['show', accountId], ['suspend', accountId, '--yes']]) {
    const { stdout, stderr } = await ctl(...args);
    assert.match(stdout + stderr, /mail\.example said \\x1bx\\x07x/, `${args[0]}: ${stdout}${stderr}`);
    for (const [kind, character] of Object.entries(KINDS))
      if (character !== '\n') assert.ok(!(stdout + stderr).includes(character), `${kind} in ${args[0]}`);
    assert.doesNotMatch(stdout, /^x/m, 'a line of others');
  }
  const { stdout } = await ctl('show', accountId, '--json');
  assert.equal(JSON.parse(stdout).name, HOSTILE, 'JSON is exact');
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028]/u);
});
