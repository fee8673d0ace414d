import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw, sql } from '../../server/db/database.ts';
import { assertInvariants, inventoryProblems, ledgerProblems } from '../support/invariants.ts';
import { newCustomer } from './support/customer.ts';
import { startInProcess } from './support/in-process.ts';

/** A way to spoil a sound database, and the law that it breaks. */
const SPOILED: [string, string][] = [
  ['update wallets set available_minor = available_minor + 1', 'a wallet is what its journal says'],
  ['update wallets set held_minor = held_minor + 1', 'what is held is what pending orders ask for'],
  ['update payments set amount_minor = 1', 'money from outside is a succeeded payment'],
  ["update orders set status = 'failed'", "an order's transfers are what its status says"],
  ['update order_lines set amount_minor = amount_minor + 1', "an order's lines add up to it"],
  ['update orders set invoice_id = null', 'a completed order is on an invoice of its account'],
  ['update invoices set number = 2', 'invoices of an account are numbered 1 to n'],
  ['update orders set amount_minor = -amount_minor', 'a VM never gives back more than was paid for it'],
  ["update jobs set status = 'running'", 'an unfinished job is the one its VM is locked by'],
  ['update vms set active_job_id = last_job_id', 'a VM is locked by an unfinished job only'],
  ["update vms set status = 'starting'", 'a VM shows a passing state only while a job runs'],
  ["update orders set status = 'pending'", 'an order waits for an unfinished job'],
  ['update vms set provisioned_at = null', 'a VM that came into being was bought once'],
  ['update vms set deleted_at = now()', 'an address in use is that of a living VM'],
  [
    'update ip_addresses set vm_id = null where family(address) = 4',
    'a living VM has one address of each family',
  ],
  [
    'delete from ip_addresses where family(address) = 6',
    'every address that was ever handed out is still known',
  ],
  ["insert into simulator_guests values ('vm_x', '{}')", 'a guest belongs to a VM'],
  ['update vms set vcpu = 9', 'a VM at rest has its guest, of its size'],
];

test('the checker of the invariants notices whatever breaks one', async (t) => {
  const { db, ...service } = await startInProcess(t);
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web-1',
  });
  await customer.settled(vm.id);
  await assertInvariants(db);
  const undo = new Error('undo');
  for (const [statement, law] of SPOILED) {
    const spoil = db.transaction(async (tx) => {
      await tx.query(sql`${raw(statement)}`);
      const problems = [...(await ledgerProblems(tx)), ...(await inventoryProblems(tx))];
      assert.ok(
        problems.some((problem) => problem.startsWith(law)),
        `${statement}: ${problems}`,
      );
      throw undo;
    });
    await assert.rejects(spoil, undo);
  }
  await assertInvariants(db);
});
