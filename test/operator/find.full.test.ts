import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { loadCatalog } from '../../server/domain/catalog/load-catalog.ts';
import { findRegion } from '../../server/domain/catalog/lookup.ts';
import { allocateAddresses, ensureRegionPools } from '../../server/domain/network/allocate.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { storedVm } from '../billing/support.ts';
import { startOperator } from './support.ts';
import { REPOSITORY, vaubanctl } from './vaubanctl.ts';

type Operator = Awaited<ReturnType<typeof startOperator>>;

const commands = ({ dataDir }: Operator) => ({
  ctl: (...args: string[]) => vaubanctl(dataDir, ...args),
  async json(...args: string[]) {
    const { code, stdout, stderr } = await vaubanctl(dataDir, ...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  },
});

async function newMember({ db, clock }: Operator, accountId: string, email: string): Promise<void> {
  await db.transaction(async (tx) => {
    const person = { email, name: 'Anna', locale: 'en', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, person);
    await addMember(tx, clock, { personId, accountId, role: 'owner' });
  });
}

test('accounts and VMs are found by details that a customer gives on the telephone', async (t) => {
  const operator = await startOperator(t);
  const { db, clock } = operator;
  const { ctl, json } = commands(operator);
  const one = await operator.newAccount('Example Ltd');
  const other = await operator.newAccount('100% Hosting');
  await newMember(operator, one, 'anna@example.com');
  const find = async (list: string, search: string) => {
    const reply = await operator.get(`/${list}?search=${encodeURIComponent(search)}`);
    return (reply.json().data as { id: string }[]).map(({ id }) => id).sort();
  };
  assert.deepEqual(await find('accounts', 'EXAMPLE'), [one]);
  assert.deepEqual(await find('accounts', 'anna@ex'), [one]);
  assert.deepEqual(await find('accounts', other), [other]);
  assert.deepEqual(await find('accounts', '%'), [other], 'a wildcard is a sign like others');
  assert.deepEqual(await find('accounts', 'nobody'), []);
  assert.match((await ctl('account', 'members', one)).stdout, /anna@example\.com\s+Anna\s+owner/);

  const vm = await storedVm(db, clock, one);
  const unpaid = await storedVm(db, clock, other);
  await db.query(sql`update vms set unpaid_since = ${clock.now()} where id = ${unpaid.id}`);
  const catalog = loadCatalog(join(REPOSITORY, 'catalog.yaml'));
  await ensureRegionPools(db, catalog);
  const region = findRegion(catalog, vm.region)!;
  const { ipv4, ipv6 } = await db.transaction((tx) =>
    allocateAddresses(tx, catalog, region, vm.id, clock.now()),
  );
  for (const search of [vm.id, ipv4, ipv6.toUpperCase()])
    assert.deepEqual(await find('vms', search), [vm.id], search);
  const sameName = await find('vms', vm.hostname.slice(0, 3).toUpperCase());
  assert.deepEqual(sameName, [vm.id, unpaid.id].sort());
  assert.deepEqual(await find('vms', '192.0.2.77'), []);
  assert.deepEqual(await find('vms', 'fe80::1%eth0'), []);
  const [only] = await json('vm', 'list', '--unpaid', '--search', unpaid.hostname);
  assert.equal(only.id, unpaid.id);
});

test("the overview shows today's income and the waiting items", async (t) => {
  const operator = await startOperator(t);
  const { clock } = operator;
  const { ctl } = commands(operator);
  const id = await operator.newAccount();
  clock.advance(9 * 86_400_000);
  const book = (what: string, amount: string) => operator.post(`/accounts/${id}/${what}`, { amount });
  await book('credits', '50.00');
  clock.advance(86_400_000);
  await book('credits', '7.50');
  await book('debits', '2.50');
  const all = (await operator.get('/overview')).json().data;
  assert.deepEqual(all.today, { received_minor: 750, paid_out_minor: 250, sold_minor: 0 });
  assert.deepEqual(all.month, { received_minor: 5_750, paid_out_minor: 250, sold_minor: 0 });
  assert.deepEqual([all.accounts_active, all.transfers_waiting, all.attacks_ongoing], [1, 0, 0]);
  assert.match(
    (await ctl('overview')).stdout,
    /^today:\s+received 7\.50 EUR, paid out 2\.50 EUR, sold 0\.00 EUR$/m,
  );
  assert.deepEqual((await operator.get('/attacks?status=ongoing')).json().data, []);
  assert.deepEqual((await operator.get('/targets')).json().data, []);
});

test('operators are added, listed, given a new link and removed on the machine', async (t) => {
  const operator = await startOperator(t);
  const { ctl, json } = commands(operator);
  const added = await ctl('operator', 'add', 'anna@example.com');
  assert.match(added.stdout, /^http:\/\/127\.0\.0\.1:8080\/operator\/sign-in\/link#[\w-]{54}\n$/);
  assert.match(added.stderr, /^Signs anna@example\.com in once, until 2026-/);
  assert.match(
    (await ctl('operator', 'add', 'ANNA@example.com')).stderr,
    /operator with this address already exists/,
  );
  assert.match((await ctl('operator', 'add', 'anna')).stderr, /^vaubanctl: email: must be an address/);
  const [listed] = await json('operator', 'list');
  assert.deepEqual(
    [listed.email, listed.password, listed.totp, listed.passkeys, listed.last_sign_in_at],
    ['anna@example.com', false, false, 0, null],
  );
  assert.match((await ctl('operator', 'list')).stdout, /anna@example\.com\s+no\s+no\s+0\s+never/);
  const asked = await ctl('operator', 'link', 'anna@example.com');
  assert.equal(asked.code, 1, 'asks first');
  assert.equal((await ctl('operator', 'link', 'anna@example.com', '--yes')).code, 0);
  assert.match(
    (await ctl('operator', 'remove', 'anna@example.com', '--yes')).stdout,
    /is no longer an operator/,
  );
  assert.deepEqual(await json('operator', 'list'), []);
  assert.match((await ctl('operator', 'remove', 'anna@example.com', '--yes')).stderr, /does not exist/);
});

test('if the pages are off, no link is created', async (t) => {
  const operator = await startOperator(t, {}, { VAUBAN_OPERATOR_PANEL: 'off' });
  const { ctl } = commands(operator);
  const { code, stderr } = await ctl('operator', 'add', 'anna@example.com');
  assert.equal(code, 1);
  assert.match(stderr, /VAUBAN_OPERATOR_PANEL/);
});
