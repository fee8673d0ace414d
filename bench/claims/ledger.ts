import { type Database, one, sql } from '../../server/db/database.ts';
import {
  completeOrder,
  type LedgerContext,
  type OrderRequest,
  placeOrder,
} from '../../server/domain/billing/ledger.ts';
import { firstPeriod } from '../../server/domain/billing/period.ts';
import { monthCharge } from '../../server/domain/billing/pricing.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';
import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { buyByHand } from '../ledger-by-hand.ts';
import { atLeast, type Claim } from '../report.ts';
import { compare } from '../statistics.ts';

/** Wallets in use at once: as many as a node has database connections. */
const WALLETS = 8;
const ROUNDS = 9;
const ROUND_MS = 500;
const MINIMUM_RATIO = 0.7;

const S1 = {
  plan: 's1',
  name: 'Shared S1',
  vcpu: 1,
  ram_mb: 1024,
  disk_gb: 20,
  bandwidth_gb: null,
  price_monthly_minor: 399n,
  price_hourly_micros: null,
};

const TERMS = { currency: 'EUR', taxRate: '0.2', tax: { category: 'standard' as const, reason: null } };

export const ledger: Section = {
  name: 'ledger',
  about: 'a hold and its capture through the ledger against the same writes by hand',
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(await measure(bench, engine));
    return claims;
  },
};

function orderFor(accountId: string, vmId: string): OrderRequest {
  const at = systemClock.now();
  return {
    accountId,
    vmId,
    kind: 'create',
    charge: monthCharge(S1, firstPeriod(at), TERMS),
    at,
  };
}

/** Like a purchase: held in the transaction of the request, captured in that of the finished job. */
async function buy(db: Database, request: OrderRequest): Promise<string> {
  const inLedger = <T>(work: (context: LedgerContext) => Promise<T>) =>
    db.transaction((tx) => work({ tx, clock: systemClock }));
  const { id } = await inLedger((context) => placeOrder(context, request));
  await inLedger((context) => completeOrder(context, request.accountId, id, request.at));
  return id;
}

async function measure(bench: Bench, engine: Engine): Promise<Claim> {
  const place = await makePlace(bench, engine);
  return prepare(place, async (db) => {
    const customers = await makeCustomers(db, WALLETS);
    for (const [n, { accountId }] of customers.entries()) await storeVms(db, accountId, n, 1);
    const request = (n: number) => orderFor(customers[n]!.accountId, storedVmId(n));
    const byLedger = (n: number) => buy(db, request(n));
    // The first purchase of the month opens the invoice that all later ones go to.
    const invoices = await Promise.all(customers.map((_, n) => byLedger(n).then((id) => invoiceOf(db, id))));
    const byHand = (n: number) =>
      buyByHand(db, { orderId: newId('ord', systemClock), invoiceId: invoices[n]! }, request(n));
    const { ratio, a, b } = await compare(
      ROUNDS,
      () => rate(byLedger),
      () => rate(byHand),
    );
    return atLeast(`hold + capture ÷ SQL by hand, ${engine}`, MINIMUM_RATIO, ratio, `${a}/s ÷ ${b}/s`);
  });
}

async function invoiceOf(db: Database, orderId: string): Promise<string> {
  const order = await one<{ invoice_id: string }>(
    db,
    sql`select invoice_id from orders where id = ${orderId}`,
  );
  return order.invoice_id;
}

/** Returns how many times per second `operation` runs with every wallet in constant use. */
async function rate(operation: (wallet: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let done = 0;
  const keepUsing = async (wallet: number) => {
    for (; performance.now() - start < ROUND_MS; done++) await operation(wallet);
  };
  await Promise.all(Array.from({ length: WALLETS }, (_, wallet) => keepUsing(wallet)));
  return (done / (performance.now() - start)) * 1000;
}
