import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { lockVm, systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { addOnsOf } from '../../server/domain/billing/add-ons.ts';
import { refundOrder, voidOrder } from '../../server/domain/billing/adjustments/correct-order.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { grantPromo } from '../../server/domain/billing/promo-credits.ts';
import { type AddOnWish, setAddOn } from '../../server/domain/vms/add-ons.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation, runJobs } from '../jobs/support/installation.ts';
import { priceIn, sellIn } from '../simulation/currencies.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { moneyProblems } from '../support/invariants.ts';
import { UnsteadyClock } from '../support/unsteady-clock.ts';

const VM = { template: 'debian-12', hostname: 'web', password: 'correct-horse-battery' };

/** The order lines of a VM as short tuples: description, unit, amount. */
type Told = [description: string, unit: string, amount: bigint];

/**
 * Opens an installation whose catalog has the add-ons `ipv4` at 2.50 and `backup` at 1.00 per unit and month, or as many
 * minor units of another currency, and a customer who has 200.00. `s1` costs 3.99, all including 19 % tax.
 */
export async function addOnShop(
  t: TestContext,
  { currency = 'EUR', start = '2026-01-01T00:00:00Z', funds = 200_00n } = {},
) {
  const db = await freshDatabase(t);
  const clock = new UnsteadyClock(start);
  const installation = await openInstallation(db, { clock });
  defer(t, () => installation.close());
  const node = await installation.openNode();
  const { services } = installation;
  const { catalog } = services;
  sellIn(currency, catalog);
  catalog.tax_rate = '0.19';
  const price = (euros: string) => priceIn(currency, euros);
  catalog.add_ons = [
    { code: 'ipv4', name: 'Extra IPv4 address', price_monthly: price('2.50'), max_quantity: 5 },
    { code: 'backup', name: 'Backups', price_monthly: price('1.00'), max_quantity: 1 },
  ];
  const customer = await openCustomer(installation, funds);
  const { accountId } = customer;
  const done = () => runJobs(installation, node);
  const buy = async (plan = 's1', billing = 'monthly') => {
    const body = { ...VM, plan, billing, region: 'eu-central' };
    const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body });
    await done();
    return { id: vm.id as string, path: `/v1/vm/${vm.id}` };
  };
  const set = (id: string, addOn: string, quantity: number, most?: number) =>
    db.transaction(async (tx) => {
      const vm = (await lockVm(tx, accountId, id))!;
      const wish: AddOnWish = { addOn, quantity };
      return (await setAddOn({ db: tx, services, now: clock.now() }, vm, wish, most)).order;
    });
  const held = async (id: string) => addOnsOf((await systemFindVm(db, id))!);
  const linesOf = async (orderId: string): Promise<Told[]> => {
    const rows = await db.query<{ description: string; unit: string; amount_minor: bigint }>(
      sql`select description, unit, amount_minor from order_lines where order_id = ${orderId} order by position`,
    );
    return rows.map(({ description, unit, amount_minor }) => [description, unit, amount_minor]);
  };
  const orders = (id: string, kind: string) =>
    db.query<{ id: string; amount_minor: bigint }>(
      sql`select id, amount_minor from orders where vm_id = ${id} and kind = ${kind} and status = 'completed' order by id`,
    );
  const correction = (orderId: string) => ({ orderId, reason: 'because', actor: 'root' });
  return {
    ...{ db, clock, services, installation, customer, done, buy, set, held, linesOf, orders },
    grant: (amountMinor: bigint) => {
      const until = new Date(clock.now().getTime() + 300 * 86_400_000);
      const wish = {
        accountId,
        amountMinor,
        field: 'amount' as const,
        until,
        reason: 'Hello',
        actor: 'root',
      };
      return db.transaction((tx) => grantPromo(tx, clock, wish));
    },
    renewAt: async (at: string) => {
      clock.set(new Date(at));
      await renewVms(services);
      await done();
    },
    remove: async (path: string) => {
      const preview = await customer.must({ method: 'GET', path: `${path}/delete-preview` });
      const { refund } = await customer.must({ method: 'DELETE', path });
      assert.deepEqual(
        [refund.amount_minor, refund.promo_minor],
        [preview.refund_minor, preview.refund_promo_minor],
        'the preview shows what the deletion gives back',
      );
      await done();
      return refund;
    },
    refund: (orderId: string, amount?: bigint) =>
      db.transaction((tx) => refundOrder({ tx, clock }, correction(orderId), () => amount)),
    undo: (orderId: string) => db.transaction((tx) => voidOrder({ tx, clock }, correction(orderId))),
    /** Returns the money and the promotional credit of the wallet, after an audit of the books. */
    wallet: async () => {
      assert.deepEqual(await auditNow(db), []);
      assert.deepEqual(await moneyProblems(db), []);
      const { available_minor, promo_minor } = await customer.wallet();
      return [available_minor - promo_minor, promo_minor];
    },
  };
}
