import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { keepBuying, type Traffic, until } from '../chaos/support/buyers.ts';
import { type Customer, newCustomer } from '../chaos/support/customer.ts';
import { assertExactly, CREDIT } from '../chaos/support/nodes-under-outage.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../support/database.ts';
import { type Service, startService } from '../support/service.ts';
import { Balancer } from './support/balancer.ts';
import { unpackLastRelease } from './support/last-release.ts';

const CUSTOMERS = 2;
const SETTINGS = {
  ...SHARED_SETTINGS,
  VAUBAN_RATE_LIMIT_KEY: '1000000',
  VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
  VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
};

/** Starts another node on the database, of this release or of the sources at `release`. */
async function startNode(t: TestContext, location: DatabaseLocation, release?: string): Promise<Service> {
  const own = await forAnotherNode(t, location);
  if (release)
    return startService(t, { location: own, env: SETTINGS, entry: join(release, 'server/start.mjs') });
  // The last release may not know this setting.
  return startService(t, { location: own, env: { ...SETTINGS, VAUBAN_DRAIN_SECONDS: '1' } });
}

test('from the last release to this one, node by node: no request fails, and no job is lost', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const release = unpackLastRelease(t);
  const location = await freshDatabaseLocation(t, { migrated: false });
  const balancer = await Balancer.start(t);
  const nodes = [await startNode(t, location, release)];
  const customers: Customer[] = [];
  for (let n = 0; n < CUSTOMERS; n++) customers.push(await newCustomer(nodes[0]!, { credit: CREDIT }));
  await balancer.add(nodes[0]!);
  for (const customer of customers) customer.target = { ...nodes[0]!, baseUrl: balancer.baseUrl };
  const traffic: Traffic = { slowest: 0, refused: 0, bought: 0, over: false };
  // The releases may disagree on when a VM is paid.
  const buying = customers.map((customer, n) =>
    keepBuying(traffic, customer, { billing: n % 2 === 0 ? 'monthly' : 'hourly' }),
  );
  const failed = Promise.all(buying).then(() => new Promise<never>(() => {}));
  const roll = async () => {
    // One of the last release is replaced by one of this, and then that one by another, for which it is drained.
    for (let n = 0; n < 2; n++) {
      const before = traffic.bought;
      const next = await startNode(t, location);
      await balancer.add(next);
      nodes.push(next);
      // Waits until both releases have worked.
      await until(async () => traffic.bought >= before + CUSTOMERS);
      const last = nodes.shift()!;
      // The last release does not accept waiting connections while it ends, so one of them would be lost.
      if (n === 0) await balancer.drain(last);
      await last.stop();
      balancer.remove(last);
    }
  };
  await Promise.race([roll(), failed]);
  traffic.over = true;
  const bought = await Promise.all(buying);
  t.diagnostic(`${bought} purchases, the slowest request ${Math.round(traffic.slowest)} ms`);
  assert.equal(traffic.refused, 0);
  await assertExactly(location.env.DATABASE_URL!, customers, bought);
});
