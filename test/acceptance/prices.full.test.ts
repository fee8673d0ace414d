import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { defer } from '../support/cleanup.ts';
import { RunningClock } from '../support/running-clock.ts';
import { REPOSITORY } from './support/document.ts';
import { start } from './support/start.ts';
import { newSubject, newVm } from './support/world.ts';

const DAY_MS = 86_400_000;
/** Shorter than the interval between two rounds of notices. */
const STEP_MS = 10_000;

interface NextPrice {
  price_monthly_minor: number;
  from_at: string;
}

interface Plan {
  code: string;
  price_monthly_minor: number;
  next_price: NextPrice | null;
  retires_on: string | null;
}

interface Billing {
  billing_period_end_at: string;
  next_charge_minor: number;
  next_price: NextPrice | null;
  retires_at: string | null;
}

/** Writes the shipped catalog with a changed smallest plan and other settings; returns the path of the file. */
async function catalogWith(t: TestContext, change: object, settings: object = {}): Promise<string> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  Object.assign(catalog, settings);
  Object.assign(catalog.plans[0], change);
  const directory = await mkdtemp(join(tmpdir(), 'vauban-catalog-'));
  defer(t, () => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'catalog.yaml'), stringify(catalog));
  return join(directory, 'catalog.yaml');
}

test('a customer sees a price before it is charged', async (t) => {
  // Between the first renewal and the second.
  const day = new Date(Date.now() + 45 * DAY_MS).toISOString().slice(0, 10);
  const announced = await catalogWith(t, { prices: [{ valid_from: day, price_monthly: '4.49' }] });
  const clock = new RunningClock();
  const installation = await start(t, { env: { VAUBAN_CATALOG: announced }, clock });
  const { client } = await newSubject(installation.operator, installation.client);
  const { plans } = await client.ok<{ plans: Plan[] }>('listPublicPlans');
  const { price_monthly_minor, next_price } = plans[0]!;
  assert.deepEqual([price_monthly_minor, next_price!.price_monthly_minor], [399, 449]);
  assert.equal(next_price!.from_at, `${day}T00:00:00.000Z`);

  const { id } = await newVm(client, 'prices');
  const billing = () => client.ok<Billing>('getVmBilling', { at: [id] });
  const before = await billing();
  assert.deepEqual([before.next_charge_minor, before.next_price!.price_monthly_minor], [399, 449]);
  assert.ok(before.next_price!.from_at > before.billing_period_end_at);

  const edited = await catalogWith(
    t,
    { price_monthly: '5.99', price_hourly: '0.0090' },
    { price_notice_days: 10 },
  );
  await installation.restart({ VAUBAN_CATALOG: edited });
  const query = { type: 'billing.price_change' };
  let told: { metadata: object }[] = [];
  while (told.length === 0) {
    clock.advance(STEP_MS);
    told = await client.ok<typeof told>('listEvents', { at: [id], query });
  }
  const { billing_period_end_at: from_at, ...after } = await billing();
  assert.deepEqual(told[0]!.metadata, {
    from_at,
    old_price_monthly_minor: 399,
    price_monthly_minor: 599,
    currency: 'EUR',
  });
  assert.deepEqual([after.next_charge_minor, after.next_price], [599, { price_monthly_minor: 599, from_at }]);
});
