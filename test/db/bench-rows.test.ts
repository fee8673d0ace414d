import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCustomers, storedVmId, storeVms } from '../../bench/customers.ts';
import { buyByHand } from '../../bench/ledger-by-hand.ts';
import { one, sql } from '../../server/db/database.ts';
import { systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { completeOrder, type LedgerContext, placeOrder } from '../../server/domain/billing/ledger.ts';
import { firstPeriod } from '../../server/domain/billing/period.ts';
import { monthCharge, planConfiguration } from '../../server/domain/billing/pricing.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { catalog } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';

const TERMS = { currency: 'EUR', taxRate: '0.2', tax: { category: 'standard' as const, reason: null } };

// For speed, benches write rows without the domain code: without this test, rows that no longer fit the schema would be
// noticed only at the next measurement.
test('VMs and orders that benches write directly fit the tables', async (t) => {
  const db = await freshDatabase(t);
  const [customer] = await makeCustomers(db, 1);
  const { accountId } = customer!;
  await storeVms(db, accountId, 1, 20);
  const vmId = storedVmId(20);
  assert.equal((await systemFindVm(db, vmId))?.account_id, accountId);

  const at = systemClock.now();
  const charge = monthCharge(planConfiguration(findPlan(catalog, 's1')!, 'EUR'), firstPeriod(at), TERMS);
  const request = { accountId, vmId, kind: 'create' as const, charge, at };
  const inLedger = <T>(work: (context: LedgerContext) => Promise<T>) =>
    db.transaction((tx) => work({ tx, clock: systemClock }));
  const order = await inLedger((context) => placeOrder(context, request));
  await inLedger((context) => completeOrder(context, accountId, order.id, at));
  const find = (id: string) =>
    one<{ status: string; invoice_id: string }>(
      db,
      sql`select status, invoice_id from orders where id = ${id}`,
    );
  const { invoice_id: invoiceId } = await find(order.id);
  await buyByHand(db, { orderId: 'ord_byhand', invoiceId }, request);
  assert.deepEqual(await find('ord_byhand'), { status: 'completed', invoice_id: invoiceId });
});
