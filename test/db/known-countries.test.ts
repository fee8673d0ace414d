import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { knownCountries } from '../../server/db/migrations/0048-known-countries.ts';
import { freshDatabase } from '../support/database.ts';

test('a code that is no country becomes the one that must have been meant, and others stay', async (t) => {
  const db = await freshDatabase(t);
  await db.query(sql`
    insert into accounts (id, name, currency, created_at)
    select 'acc_' || code, code, 'EUR', now() from unnest(${['UK', 'EL', 'DD', 'YU', 'DE', 'XK']}::text[]) code`);
  await db.query(sql`
    insert into billing_profiles (account_id, kind, name, street, city, country, updated_at)
    select id, 'consumer', name, 'Street 1', 'Town', name, now() from accounts where id like 'acc\\___'`);
  await db.script(knownCountries.up);
  const rows = await db.query<{ name: string; country: string }>(
    sql`select name, country from billing_profiles order by name`,
  );
  assert.equal(
    rows.map(({ name, country }) => `${name}→${country}`).join(' '),
    'DD→DE DE→DE EL→GR UK→GB XK→XK YU→YU',
  );
});
