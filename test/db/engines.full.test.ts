// Runs on both engines: it is the contract of both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, notify, one, raw, type Sql, sql } from '../../server/db/database.ts';
import { engine, freshDatabase } from '../support/database.ts';

// Both engines promise the following: the suite runs on each of them.

const AWKWARD = ['plain', 'NULL', 'a,b', '"quoted"', 'back\\slash', '{brace}', ''];

/** The value that a statement's column `v` must return, including the JavaScript type. */
const VALUES: Record<string, [Sql, unknown]> = {
  'bigint beyond a double': [sql`select 9007199254740993::bigint as v`, 9007199254740993n],
  'bigint parameter': [sql`select ${12n}::bigint as v`, 12n],
  'number as bigint': [sql`select ${12}::bigint as v`, 12n],
  count: [sql`select count(*) as v from (values (1), (2)) t`, 2n],
  'sum of bigint is numeric': [sql`select sum(x) as v from unnest(${[1n, 2n]}::bigint[]) x`, '3'],
  integer: [sql`select ${5}::int as v`, 5],
  'numeric keeps its scale': [sql`select 1.50::numeric as v`, '1.50'],
  'numeric parameter': [sql`select ${'1.50'}::numeric as v`, '1.50'],
  real: [sql`select ${1.5}::real as v`, 1.5],
  boolean: [sql`select ${true}::boolean as v`, true],
  null: [sql`select ${null}::text as v`, null],
  'undefined is null': [sql`select ${undefined}::text as v`, null],
  timestamptz: [
    sql`select '2026-01-02 03:04:05.678+02'::timestamptz as v`,
    new Date('2026-01-02T01:04:05.678Z'),
  ],
  'timestamptz parameter': [sql`select ${new Date(5)}::timestamptz as v`, new Date(5)],
  'date is midnight UTC': [sql`select '2026-01-02'::date as v`, new Date('2026-01-02T00:00:00Z')],
  'session time zone': [sql`select current_setting('TimeZone') as v`, 'UTC'],
  bytea: [sql`select ${Buffer.from([0, 1, 255])}::bytea as v`, Buffer.from([0, 1, 255])],
  'jsonb object': [sql`select ${{ a: 1, b: ['x', null] }}::jsonb as v`, { a: 1, b: ['x', null] }],
  'jsonb array': [sql`select ${[1, 'x']}::jsonb as v`, [1, 'x']],
  'jsonb string is JSON text': [sql`select ${'"text"'}::jsonb as v`, 'text'],
  'jsonb boolean': [sql`select ${true}::jsonb as v`, true],
  'jsonb null': [sql`select 'null'::jsonb as v`, null],
  'text[]': [sql`select ${AWKWARD}::text[] as v`, AWKWARD],
  'text[] with a null': [sql`select ${['a', null]}::text[] as v`, ['a', null]],
  'text[] empty': [sql`select ${[]}::text[] as v`, []],
  'real[] with nulls': [sql`select ${[1.5, null, 2]}::real[] as v`, [1.5, null, 2]],
  'bigint[]': [sql`select ${[1n, 2n]}::bigint[] as v`, [1n, 2n]],
  'boolean[]': [sql`select ${[true, false]}::boolean[] as v`, [true, false]],
  'timestamptz[]': [sql`select ${[new Date(5), null]}::timestamptz[] as v`, [new Date(5), null]],
  'numeric[]': [sql`select ${['1.50']}::numeric[] as v`, ['1.50']],
  'jsonb[]': [sql`select ${[{ a: 1 }]}::jsonb[] as v`, [{ a: 1 }]],
  'inet of a host': [sql`select ${'10.0.0.1'}::inet as v`, '10.0.0.1'],
  'inet with a length': [sql`select '10.0.0.1/8'::inet as v`, '10.0.0.1/8'],
  cidr: [sql`select '2001:db8::/32'::cidr as v`, '2001:db8::/32'],
  'any()': [sql`select ${'b'} = any(${['a', 'b']}::text[]) as v`, true],
  'unnest()': [sql`select array_agg(x) as v from unnest(${AWKWARD}::text[]) x`, AWKWARD],
  'jsonb_to_recordset()': [
    sql`select array_agg(a order by a) as v from jsonb_to_recordset(${[{ a: 1 }, { a: 2 }]}) as t(a int)`,
    [1, 2],
  ],
};

test('values from both engines are equal', async (t) => {
  const db = await freshDatabase(t);
  for (const [name, [statement, expected]] of Object.entries(VALUES)) {
    await t.test(name, async () => {
      // Twice: a statement is parsed the first time and prepared the second.
      for (let i = 0; i < 2; i++) assert.deepEqual(await db.query(statement), [{ v: expected }]);
    });
  }
  await t.test('a statement prepared with a null takes a value later', async () => {
    for (const value of [null, 5, null]) {
      assert.deepEqual(await db.query(sql`select ${value}::int as v`), [{ v: value }]);
    }
  });
});

test('ids are compared byte by byte and match arrays of text', async (t) => {
  const db = await freshDatabase(t);
  await db.query(sql`
    insert into accounts (id, name, currency, created_at)
    select id, id, 'EUR', now() from unnest(${['a', 'B', 'c']}::text[]) id`);
  const found = await db.query(sql`select id from accounts where id = any(${['a', 'B']}) order by id`);
  assert.deepEqual(found, [{ id: 'B' }, { id: 'a' }]);
  // An array of the domain has a type that was created after the connection: a cast makes it readable as an array.
  const all = await one(db, sql`select array_agg(id::text order by id) as ids from accounts`);
  assert.deepEqual(all, { ids: ['B', 'a', 'c'] });
});

async function counter(t: Parameters<typeof freshDatabase>[0]): Promise<Database> {
  const db = await freshDatabase(t);
  await db.script('create table counter (n bigint not null); insert into counter values (0)');
  return db;
}

const increment = sql`update counter set n = n + 1`;
const count = async (db: Database) => (await one<{ n: bigint }>(db, sql`select n from counter`)).n;

test('a transaction commits as a whole, and what follows it runs afterwards', async (t) => {
  const db = await counter(t);
  const order: string[] = [];
  const result = await db.transaction(async (tx) => {
    tx.afterCommit(() => order.push('first'));
    tx.afterCommit(() => order.push('second'));
    await tx.query(increment);
    order.push('work');
    return 'result';
  });
  assert.equal(result, 'result');
  assert.deepEqual(order, ['work', 'first', 'second']);
  assert.equal(await count(db), 1n);
});

test('a throw rolls back, is passed on, and nothing follows', async (t) => {
  const db = await counter(t);
  const refusal = new Error('refused');
  let followed = false;
  const attempt = db.transaction(async (tx) => {
    tx.afterCommit(() => {
      followed = true;
    });
    await tx.query(increment);
    throw refusal;
  });
  await assert.rejects(attempt, (error) => error === refusal);
  assert.equal(await count(db), 0n);
  assert.equal(followed, false);
});

test('a transaction whose statement failed never pretends to have committed', async (t) => {
  const db = await counter(t);
  const attempt = db.transaction(async (tx) => {
    await tx.query(increment);
    await tx.query(sql`select 1 / 0`).catch(() => {});
  });
  await assert.rejects(attempt);
  assert.equal(await count(db), 0n);
});

test('a failed statement or script leaves the database usable', async (t) => {
  const db = await counter(t);
  await assert.rejects(db.query(sql`select nonsense`), { code: '42703' });
  await assert.rejects(db.query(sql`select ${'x'}::int`), { code: '22P02' });
  await assert.rejects(db.query(sql`select 1; select 2`), { code: '42601' });
  const failing = db.script('begin; update counter set n = 9; select 1 / 0; commit');
  const queued = Array.from({ length: 20 }, () => db.transaction((tx) => tx.query(increment)));
  await assert.rejects(failing, { code: '22012' });
  await Promise.all(queued);
  assert.equal(await count(db), 20n);
});

test('a script returns the rows of all its statements and may hold a transaction', async (t) => {
  const db = await counter(t);
  const rows = await db.script(
    'begin; update counter set n = 5; select n from counter; commit; select 2 as two',
  );
  assert.deepEqual(rows, [{ n: 5n }, { two: 2 }]);
});

test('a script that changes a table has earlier statements prepared again, any other leaves them', async (t) => {
  const db = await counter(t);
  const select = () => one<object>(db, sql`select * from counter`);
  assert.deepEqual(await select(), { n: 0n });
  if (db.engine === 'pglite') {
    // On the single connection; a pool's connections have statements of their own.
    const prepared = () => one<{ count: bigint }>(db, sql`select count(*) from pg_prepared_statements`);
    const before = await prepared();
    await db.script('select 1; select 2');
    assert.deepEqual(await prepared(), before);
  }
  await db.script('alter table counter add column name text', { ddl: true });
  assert.deepEqual(await select(), { n: 0n, name: null });
});

test('a table that another process changes is read in its state of that moment', {
  skip: engine !== 'postgres',
}, async (t) => {
  const db = await counter(t);
  // Concurrently, so that several connections prepare the statement; afterwards even more do.
  const read = (times: number) =>
    Promise.all(Array.from({ length: times }, () => one<object>(db, sql`select * from counter`)));
  assert.deepEqual(await read(4), Array(4).fill({ n: 0n }));
  await db.script('alter table counter rename n to renamed; alter table counter add column name text');
  assert.deepEqual(await read(30), Array(30).fill({ renamed: 0n, name: null }));
});

test('transactions at the same time do not lose updates', async (t) => {
  const db = await counter(t);
  const once = () =>
    db.transaction(async (tx) => {
      const { n } = await one<{ n: bigint }>(tx, sql`select n from counter for update`);
      await tx.query(sql`update counter set n = ${n + 1n}`);
    });
  await Promise.all(Array.from({ length: 30 }, once));
  assert.equal(await count(db), 30n);
});

test('a single statement is not part of a transaction that begins at the same time', async (t) => {
  const db = await counter(t);
  const refusal = new Error('rolled back');
  const rolledBack = () =>
    db
      .transaction(async (tx) => {
        await tx.query(sql`select 1`);
        throw refusal;
      })
      .catch((error) => assert.equal(error, refusal));
  // Each has its own text, so that it is prepared for the first time while transactions begin.
  const insert = (n: number) => db.query(sql`insert into counter select ${n} ${raw(`/* ${n} */`)}`);
  const work = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? insert(n) : rolledBack()));
  await Promise.all(work);
  assert.deepEqual(await one(db, sql`select count(*) from counter`), { count: 31n });
});

test('a notification arrives once, after the commit, on its own channel', async (t) => {
  const db = await freshDatabase(t);
  const heard: string[] = [];
  const last = Promise.withResolvers<void>();
  const stop = await db.listen('Mixed Case', (payload) => {
    heard.push(payload);
    if (payload === 'end') last.resolve();
  });
  await db
    .transaction(async (tx) => {
      await notify(tx, 'Mixed Case', 'rolled back');
      throw new Error('refused');
    })
    .catch(() => {});
  await db.transaction(async (tx) => {
    await notify(tx, 'Mixed Case', 'committed');
    await notify(tx, 'mixed case', 'elsewhere');
    assert.deepEqual(heard, []);
  });
  await notify(db, 'Mixed Case', 'end');
  await last.promise;
  assert.deepEqual(heard, ['committed', 'end']);
  await stop();
});

test('queries and listeners survive lost connections', { skip: engine !== 'postgres' }, async (t) => {
  const db = await freshDatabase(t);
  let heard = false;
  await db.listen('lost', () => {
    heard = true;
  });
  await db.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  // Notifications during a reconnect are lost, as documented, but the listener must not stay deaf.
  while (!heard) {
    await notify(db, 'lost', 'hello');
    await sleep(10);
  }
});

test('a database can be closed twice', async (t) => {
  const db = await freshDatabase(t);
  await db.close();
  await db.close();
});

test('a query on a closed database fails', async (t) => {
  const db = await freshDatabase(t);
  await db.close();
  await assert.rejects(db.query(sql`select 1`));
  await assert.rejects(db.transaction((tx) => tx.query(sql`select 1`)));
});

test('a transaction that its node forgot holds its locks for seconds', {
  skip: engine !== 'postgres' && 'the embedded engine has one node',
}, async (t) => {
  const db = await freshDatabase(t);
  const { v } = await one<{ v: string }>(
    db,
    sql`select current_setting('idle_in_transaction_session_timeout') as v`,
  );
  assert.equal(v, '10s');
});
