import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseAwayError } from '../../server/db/away.ts';
import type { Connection } from '../../server/db/postgres-connection.ts';
import { PostgresStatements } from '../../server/db/postgres-statements.ts';

/** Returns a connection that breaks before the reply to a statement arrives. */
function breaking(): Connection {
  const connection = {
    lost: undefined as DatabaseAwayError | undefined,
    async run() {
      connection.lost = new DatabaseAwayError('the connection to the database was lost');
      throw connection.lost;
    },
  };
  return connection as unknown as Connection;
}

const outcome = (text: string) =>
  new PostgresStatements().runAlone(breaking(), { text, values: [] }).then(
    () => 'answered',
    ({ outcomeUnknown }: DatabaseAwayError) => (outcomeUnknown ? 'unknown' : 'undone'),
  );

test('a standalone write may have been committed before its connection broke', async () => {
  assert.equal(await outcome("update vms set state = 'running'"), 'unknown');
  assert.equal(
    await outcome('with gone as (delete from sessions returning id) select id from gone'),
    'unknown',
  );
});

test('a statement that only reads has changed nothing when its connection broke', async () => {
  assert.equal(await outcome('select 1'), 'undone');
});
