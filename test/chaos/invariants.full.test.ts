// Runs on both engines: transactions interleave differently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw, sql } from '../../server/db/database.ts';
import { assertInvariants, inventoryProblems, moneyProblems } from '../support/invariants.ts';
import { newCustomer } from './support/customer.ts';
import { startInProcess } from './support/in-process.ts';

/** Statements that corrupt a valid database, with the law that each breaks. */
const SPOILED: [string, string][] = [
  ['update wallets set available_minor = available_minor + 1', 'the balances of a wallet match its journal'],
  ['update wallets set held_minor = held_minor + 1', 'the held amount is that of pending orders'],
  ['update payments set amount_minor = 1', 'a payment is in the wallet once'],
  ["update orders set status = 'failed'", "an order's journal entries match its status"],
  ['update order_lines set amount_minor = amount_minor + 1', "an order's lines add up to its amount"],
  [
    'update orders set invoice_id = null',
    'a completed order that sells something is on a document of its account',
  ],
  ["update invoices set type = 'credit_note'", 'sales are on invoices'],
  [
    "update invoices set status = 'paid', number = 'INV-1', sequence = 1, issued_at = now(), total_minor = 0, tax_minor = 0",
    'the totals of an issued document are the sums of its lines',
  ],
  ["update number_series set last = 7 where type = 'invoice'", 'a series has as many documents as recorded'],
  [
    `with note as (
       insert into invoices (id, account_id, type, status, number, issued_at, total_minor, tax_minor, period_start_at,
         period_end_at, currency, seal)
       select 'inv_x', account_id, 'credit_note', 'paid', 'CN-1', now(), 0, 0, period_start_at, period_end_at, currency, seal
       from invoices returning id)
     insert into invoice_corrections select note.id, invoices.id from note, invoices`,
    'a credit note corrects invoices issued before it',
  ],
  ['update order_lines set tax_minor = 1', 'the tax of a line is computed at its rate'],
  [
    `insert into journal (account_id, debit, credit, amount_minor, currency, reason, created_at, position, hash)
       select account_id, 'revenue:0', 'tax:0', 1, currency, 'spoiled', now(), 1000, '' from wallets`,
    'an entry belongs to an order, payment, promotional credit or document of its account',
  ],
  ['update orders set balance_after_minor = null', 'a completed order records the balance of the wallet'],
  ['update vms set tax_rate = 0.5', 'a VM records the tax rate of its last sale'],
  [
    `insert into journal (debit, credit, amount_minor, currency, reason, day, created_at, position, hash)
       values ('deferred:0', 'revenue:0', 1, 'EUR', 'recognition', current_date - 1, now(), 1000, '')`,
    'revenue equals the services delivered by the end of each day',
  ],
  ['update orders set amount_minor = -amount_minor', 'a VM is never refunded more than was paid for it'],
  ["update jobs set status = 'running'", 'an unfinished job holds the lock of its VM'],
  ['update vms set active_job_id = last_job_id', 'only an unfinished job locks a VM'],
  ["update vms set status = 'starting'", 'a VM is in a transitional state only while a job runs'],
  ["update orders set status = 'pending'", 'a pending order belongs to an unfinished job'],
  ['update vms set provisioned_at = null', 'a VM that was created was bought once'],
  ['update vms set deleted_at = now()', 'an address in use belongs to an existing VM'],
  [
    'update ip_addresses set vm_id = null where family(address) = 4',
    'an existing VM has one address of each family',
  ],
  [
    'delete from ip_addresses where family(address) = 6',
    'every address that was ever assigned is still recorded',
  ],
  ["insert into simulator_guests values ('vm_x', '{}')", 'a guest belongs to a VM'],
  ['update vms set vcpu = 9', 'an idle VM has its guest, at its size'],
];

test('the checker of the invariants notices every violation', async (t) => {
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
      // The owner of the database can make changes that the store refuses.
      await tx.query(sql`set local session_replication_role = replica`);
      await tx.query(sql`${raw(statement)}`);
      const problems = [...(await moneyProblems(tx)), ...(await inventoryProblems(tx))];
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
