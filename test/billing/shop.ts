import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { refundOrder, voidOrder } from '../../server/domain/billing/adjustments/correct-order.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation, runJobs } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const FUNDS = 200_00n;
const VM = { template: 'debian-12', hostname: 'web', password: 'correct-horse-battery' };

/**
 * Sets up an installation with one customer who has 200.00 on 1 January; `s1` costs 3.99 and `s8` 23.99, including 19 %
 * tax.
 */
export async function shop(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const installation = await openInstallation(db, { clock });
  defer(t, () => installation.close());
  const node = await installation.openNode();
  const { services } = installation;
  services.catalog.tax_rate = '0.19';
  const customer = await openCustomer(installation, FUNDS);
  const done = () => runJobs(installation, node);
  /** Orders a VM without running its job. */
  const place = async (plan: string, region = 'eu-central', billing = 'monthly') => {
    const body = { ...VM, plan, region, billing };
    const { vm, order } = await customer.must({ method: 'POST', path: '/v1/vm', body });
    return { id: vm.id as string, order, path: `/v1/vm/${vm.id}` };
  };
  const buy = async (plan: string, region?: string, billing?: string) => {
    const bought = await place(plan, region, billing);
    await done();
    return bought;
  };
  const change = async (path: string, plan: string) => {
    const body = { plan, allow_reboot: true, resize_disk: false };
    const { order } = await customer.must({ method: 'POST', path: `${path}/change-plan`, body });
    await done();
    return order;
  };
  const correction = (orderId: string) => ({ orderId, reason: 'because', actor: 'root' });
  const refund = (orderId: string, amount?: bigint) =>
    db.transaction((tx) => refundOrder({ tx, clock }, correction(orderId), () => amount));
  const undo = (orderId: string) => db.transaction((tx) => voidOrder({ tx, clock }, correction(orderId)));
  const spent = async () => FUNDS - (await customer.wallet()).available_minor;
  const sound = async () => assert.deepEqual(await auditNow(db), []);
  return { db, clock, services, customer, done, place, buy, change, refund, undo, spent, sound };
}
