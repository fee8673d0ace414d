import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { listOrphans } from '../../server/db/queries/hosts/orphans.ts';
import { assertInvariants, moneyProblems, vmProblems } from '../support/invariants.ts';
import { Fixture } from './support/fixture.ts';
import { reconcile } from './support/guests.ts';
import { buyVm, tenant, vmOf } from './support/landlord.ts';

const NOW = '2026-01-15T00:00:00Z';
const HOUR_MS = 3_600_000;
const PAGE = { limit: 10, afterId: null };

const addressesOf = async (fixture: Fixture, id: string) => {
  const rows = await fixture.db.query<{ address: string }>(
    sql`select host(address) as address from ip_addresses where vm_id = ${id} order by address`,
  );
  return rows.map(({ address }) => address);
};

/** Creates a guest without a VM, on these addresses. */
async function strand(fixture: Fixture, like: string, id: string, addresses: string[]): Promise<void> {
  const cards = addresses.map((address) => ({ address, family: 4, prefix: 14, gateway: '100.64.0.1' }));
  await fixture.db.query(sql`
    insert into simulator_guests (id, state)
    select ${id}, state || ${JSON.stringify({ addresses: cards })}::jsonb from simulator_guests where id = ${like}`);
}

test('a guest that belongs to no VM is listed and left unchanged, and its addresses are not sold', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { clock, compute, metrics, guests } = fixture.installation.services;
  const customer = await tenant(fixture, 1000_00n);
  const first = await buyVm(fixture, customer);
  const gone = await buyVm(fixture, customer);
  const released = await addressesOf(fixture, gone);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${gone}` });
  await fixture.finish();
  // As in a restored database from before the VMs were created: one address was sold once; the other was, according to
  // this database, never sold.
  const [old] = released.filter((address) => address.includes('.'));
  const next = old!.replace(/\d+$/, (last) => `${Number(last) + 1}`);
  await strand(fixture, first, 'vm_stranded', [old!, next]);
  await guests.run();
  const [orphan] = await listOrphans(fixture.db, PAGE);
  assert.deepEqual(
    [orphan?.guest_id, orphan?.addresses.toSorted(), orphan?.vcpu],
    ['vm_stranded', [next, old].toSorted(), 2],
  );
  assert.match(await metrics.text(), /vauban_guests_amiss\{how="orphan"\} 1/);
  // Every address that has rested long enough would be sold first.
  clock.advance(10_000 * HOUR_MS);
  const sold = new Set<string>();
  for (let n = 0; n < 3; n++) {
    const id = await buyVm(fixture, await tenant(fixture, 100_00n));
    for (const address of await addressesOf(fixture, id)) sold.add(address);
  }
  assert.ok(!sold.has(old!) && !sold.has(next), [...sold].join());
  assert.equal((await compute.inspect('vm_stranded'))?.id, 'vm_stranded');
  assert.deepEqual([...(await moneyProblems(fixture.db)), ...(await vmProblems(fixture.db))], []);

  await compute.remove('vm_stranded');
  await guests.run();
  assert.deepEqual(await listOrphans(fixture.db, PAGE), []);
  const soon = await buyVm(fixture, await tenant(fixture, 100_00n));
  assert.ok(!(await addressesOf(fixture, soon)).includes(old!), 'they rest first');
  clock.advance(10_000 * HOUR_MS);
  const later: string[] = [];
  for (let n = 0; n < 2; n++)
    later.push(...(await addressesOf(fixture, await buyVm(fixture, await tenant(fixture, 100_00n)))));
  assert.ok(later.includes(old!) && later.includes(next), later.join());
  await assertInvariants(fixture.db);
});

test('a VM that is being created or deleted is no orphan, and neither is one that waits for its deletion', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { guests } = fixture.installation.services;
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await guests.run();
  assert.deepEqual(await listOrphans(fixture.db, PAGE), []);
  await fixture.finish();
  await reconcile(fixture);
  assert.deepEqual(await listOrphans(fixture.db, PAGE), []);
  assert.ok((await vmOf(fixture, id)).deleted_at);
});
