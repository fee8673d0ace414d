import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { resealAll } from '../../server/endpoints/operator/secrets/reseal.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { Fixture, PURCHASE } from '../jobs/support/fixture.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { failingStart, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { type Service, startService } from '../support/service.ts';
import { vaubanctl } from './vaubanctl.ts';

const USER_DATA = '#cloud-config\nwrite_files: [{path: /t, content: s3cret-token-of-the-customer}]';
const SECRETS = ['s3cret-token-of-the-customer', PURCHASE.password];
const CREATE = { plan: 's1', template: 'debian-12', hostname: 'web', user_data: USER_DATA };
/** Long enough that a job waiting for it never ends within the test. */
const ENDLESS_BOOT = { VAUBAN_SIMULATOR_BOOT_SECONDS: '3600' };
const key = () => randomBytes(32).toString('hex');

/** Returns the tables with a row that contains one of `words`, in clear text, base64 or hexadecimal. */
async function tablesWith(db: Database, words: readonly string[]): Promise<string[]> {
  const tables = await db.query<{ name: string }>(sql`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
  assert.ok(tables.length > 40, 'the tables of the service and of its queue');
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.script(`select to_jsonb(t)::text as row from ${name} t`);
    const all = rows.map(({ row }) => row as string).join('\n');
    const forms = words.flatMap((word) => [word, Buffer.from(word).toString('hex')]);
    if (forms.some((form) => all.includes(form))) found.push(name);
  }
  return found;
}

test('no column of any table holds a secret in clear, neither while a job needs it nor afterwards', async (t) => {
  const fixture = await Fixture.open(t);
  const [scenario] = await fixture.scenes(1, 'none', false);
  const { customer } = scenario!;
  const body = { ...PURCHASE, user_data: USER_DATA };
  const bought = await customer.must({ method: 'POST', path: '/v1/vm', body });
  const generated = await customer.must({ method: 'POST', path: '/v1/vm', body: CREATE });
  const secrets = [...SECRETS, generated.initial_password as string];
  assert.deepEqual(await tablesWith(fixture.db, secrets), []);
  await fixture.finish();
  const reset = await customer.must({ method: 'POST', path: `/v1/vm/${bought.vm.id}/reset-password` });
  secrets.push(reset.password);
  assert.deepEqual(await tablesWith(fixture.db, secrets), []);
  await fixture.finish();
  const { opsKeys } = fixture.installation.services;
  await opsKeys.rotate();
  const pairs = await opsKeys.all();
  assert.equal(pairs.length, 2);
  // The line of each that contains the private half.
  secrets.push(...pairs.map(({ privateKey }) => privateKey.split('\n')[4]!));
  assert.deepEqual(await tablesWith(fixture.db, secrets), []);
  // Checks the search itself: an unsealed value is found.
  assert.ok((await tablesWith(fixture.db, [PURCHASE.hostname])).includes('public.vms'));
});

test('an interrupted rotation continues, and leaves nothing to the old key', async (t) => {
  const fixture = await Fixture.open(t);
  const { db } = fixture;
  const [scenario] = await fixture.scenes(1, 'none', false);
  await scenario!.customer.must({
    method: 'POST',
    path: '/v1/vm',
    body: { ...PURCHASE, user_data: USER_DATA },
  });
  const old = fixture.installation.services.secrets;
  await db.transaction(async (tx) => {
    for (let n = 0; n < 230; n++)
      await tx.query(sql`
        insert into idempotency_keys values (${scenario!.customer.accountId}, 'POST', '/v1/vm', ${`k${n}`}, ''::bytea,
          ${old.seal(`reply ${n}`, 'idempotent-reply')}, true, now())`);
  });
  const [fresh, first] = [randomBytes(32), Buffer.alloc(32, 1)];
  const secrets = new SecretBox(fresh, first);
  let transactions = 0;
  const killed: Database = Object.create(db, {
    transaction: {
      value: (work: Parameters<Database['transaction']>[0]) => {
        if (++transactions === 5) throw new Error('killed');
        return db.transaction(work);
      },
    },
  });
  await assert.rejects(resealAll({ db: killed, secrets }), /killed/);
  const done = await resealAll({ db, secrets });
  assert.ok(done.unchanged >= 100, 'the first batch was kept');
  assert.ok(done.resealed >= 130, 'the rest was done');
  assert.equal(done.unreadable, 0);
  const again = await resealAll({ db, secrets: new SecretBox(fresh) });
  assert.deepEqual([again.resealed, again.unreadable], [0, 0]);
  const rows = await db.query<{ reply: string; key: string }>(
    sql`select key, reply from idempotency_keys where key like 'k%' order by key`,
  );
  const alone = new SecretBox(fresh);
  for (const { key, reply } of rows)
    assert.equal(alone.open(reply, 'idempotent-reply'), `reply ${key.slice(1)}`);
});

test('user data that an older release left in clear is sealed, and still used', async (t) => {
  const fixture = await Fixture.open(t);
  const { db } = fixture;
  const [scenario] = await fixture.scenes(1, 'none', false);
  const { job } = await scenario!.customer.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  await db.query(sql`
    update jobs set input = input - 'sealed_user_data' || jsonb_build_object('user_data', ${USER_DATA}::text)
    where id = ${job.id}`);
  assert.deepEqual(await tablesWith(db, SECRETS), ['public.jobs']);
  await resealAll(fixture.installation.services);
  assert.deepEqual(await tablesWith(db, SECRETS), []);
  await fixture.finish();
  const [row] = await db.query<{ status: string }>(sql`select status from jobs where id = ${job.id}`);
  assert.equal(row?.status, 'succeeded');
});

test('vaubanctl rotates the key of a service, which then only needs the new one', async (t) => {
  const location = await freshDatabaseLocation(t);
  const file = join(location.env.VAUBAN_DATA_DIR, 'credential');
  const settings = { ...ENDLESS_BOOT, VAUBAN_SECRET_KEY_FILE: file };
  const [old, fresh] = [key(), key()];
  const start = (...keys: string[]): Promise<Service> => {
    writeFileSync(file, `${keys.join('\n')}\n`);
    return startService(t, { location, env: settings });
  };
  const first = await start(old);
  const customer = await newCustomer(first);
  const idempotencyKey = randomUUID();
  const bought = await customer.send('POST', '/v1/vm', { body: CREATE, idempotencyKey });
  assert.equal(bought.status, 200, bought.text);
  await first.stop();

  writeFileSync(file, fresh);
  const { status, stderr } = await failingStart(location, settings);
  assert.equal(status, WRONG_CONFIGURATION, stderr);
  assert.match(
    stderr,
    /^VAUBAN_SECRET_KEY: not the key of this database: [^\n]+ the key [0-9a-f]{8}, [^\n]+\n$/,
  );

  const second = await start(fresh, old);
  const run = () => vaubanctl(location.env.VAUBAN_DATA_DIR, 'secret', 'rotate');
  assert.match(
    (await run()).stdout,
    /^Sealed with the key [0-9a-f]{8}: 4 resealed, 0 unchanged\.\nThe other keys are no longer/,
  );
  assert.match((await run()).stdout, /: 0 resealed, 4 unchanged\./);
  await second.stop();

  const third = await start(fresh);
  const ops = (verb: string) => vaubanctl(location.env.VAUBAN_DATA_DIR, 'ops-key', verb, '--json');
  const before = JSON.parse((await ops('show')).stdout);
  assert.deepEqual([before.previous, before.vms_to_replace], [[], 0]);
  const rotated = JSON.parse((await ops('rotate')).stdout);
  assert.deepEqual([rotated.previous, rotated.vms_to_replace], [[before.fingerprint], 1]);
  const { stdout } = await vaubanctl(location.env.VAUBAN_DATA_DIR, 'ops-key', 'show');
  assert.match(stdout, /^current: +SHA256:\S+$/m);
  assert.match(stdout, /^VMs with a previous key: +1$/m);
  customer.target = third;
  const replayed = await customer.send('POST', '/v1/vm', { body: CREATE, idempotencyKey });
  assert.equal(replayed.text, bought.text);
});
