import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { Passwords } from '../../server/access/passwords.ts';
import type { Database, Sql } from '../../server/db/database.ts';
import { updatePerson } from '../../server/db/queries/access/people.ts';
import { mailsTo, newPerson, openPanel, signInAs, TestBrowser } from './support/panel.ts';

const PASSWORD = 'seven quiet otters';

/** Records the database statements of the panel's operations, without those that run on timers. */
function record(t: TestContext) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  t.after(() => {
    Error.stackTraceLimit = limit;
  });
  let texts: string[] = [];
  const note = ({ text }: Sql) => {
    if (!new Error().stack!.includes('/server/endpoints/panel/')) return;
    texts.push(text.replace(/\s+/g, ' ').replace(/^\s*(rollback to|release) savepoint/, 'end savepoint'));
  };
  const watch = (db: Database): Database => ({
    ...db,
    query: (statement) => {
      note(statement);
      return db.query(statement);
    },
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (statement) => {
            note(statement);
            return tx.query(statement);
          },
          send: (statement) => {
            note(statement);
            return tx.send(statement);
          },
          afterCommit: (callback) => tx.afterCommit(callback),
        }),
      ),
  });
  const of = async (work: () => Promise<unknown>) => {
    texts = [];
    await work();
    return texts;
  };
  return { watch, of };
}

function countHashes(t: TestContext) {
  const hashed = t.mock.method(crypto, 'argon2');
  syncBuiltinESMExports();
  t.after(() => {
    hashed.mock.restore();
    syncBuiltinESMExports();
  });
  return hashed.mock;
}

test('an address that is known takes the same work as one that is not', async (t) => {
  const { watch, of } = record(t);
  const panel = await openPanel(t, {}, watch);
  const { db } = panel.services;
  const hash = await new Passwords().hash(PASSWORD);
  const known = await newPerson(panel, { email: 'anna@example.com' });
  await db.transaction((tx) => updatePerson(tx, known.personId, { password_hash: hash }));
  // Timing must not reveal a person who never set a password either.
  const bare = await newPerson(panel, { email: 'bert@example.com' });
  const { browser: person } = await signInAs(panel, 'owner');
  const hashes = countHashes(t);

  const asked: [string, (email: string) => Promise<unknown>][] = [
    ['/password-reset', (email) => new TestBrowser(panel).ok('POST', '/password-reset', { body: { email } })],
    ['/sign-up', (email) => new TestBrowser(panel).ok('POST', '/sign-up', { body: { email } })],
    [
      '/sign-in',
      (email) => new TestBrowser(panel).ask('POST', '/sign-in', { body: { email, password: 'guess' } }),
    ],
    ['/person/email', (email) => person.ok('POST', '/person/email', { body: { email } })],
  ];
  for (const [path, ask] of asked) {
    const seen: { texts: string[]; hashes: number }[] = [];
    for (const email of [known.email, bare.email, `nobody${path.replaceAll('/', '-')}@example.com`]) {
      const before = hashes.callCount();
      const texts = await of(() => ask(email));
      seen.push({ texts, hashes: hashes.callCount() - before });
    }
    assert.ok(seen[0]!.texts.length > 2, path);
    assert.deepEqual(seen[0], seen[2], path);
    assert.deepEqual(seen[1], seen[2], path);
  }
  // Only the intended mails were sent.
  const templates = async (email: string) =>
    (await mailsTo(panel, email)).map(({ template }) => template).sort();
  const toKnown = ['already_signed_up', 'already_signed_up', 'reset_password'];
  assert.deepEqual(await templates(known.email), toKnown);
  assert.deepEqual(await templates(bare.email), toKnown);
  assert.deepEqual(await templates('nobody-password-reset@example.com'), []);
  assert.deepEqual(await templates('nobody-sign-up@example.com'), ['verify_email']);
});
