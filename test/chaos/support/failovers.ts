import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openPostgres } from '../../../server/db/postgres.ts';
import { call } from '../../operator/support.ts';
import { PatroniCluster } from '../../support/patroni.ts';
import { keepBuying, type Traffic, until } from './buyers.ts';
import { type Customer, newCustomer, type Target } from './customer.ts';
import { assertExactly, CREDIT, startNodes } from './nodes-under-outage.ts';

const CUSTOMERS_EACH = 2;

/** Kills the primary of a cluster several times under two nodes with traffic, and checks the final state. */
export async function outliveFailovers(t: TestContext, failovers: number): Promise<void> {
  const cluster = await PatroniCluster.start(t);
  const admin = openPostgres(cluster.url('postgres'));
  await admin.script('create database vauban').finally(() => admin.close());
  const url = cluster.url('vauban');
  const nodes = await startNodes(t, url);
  const traffic: Traffic = { slowest: 0, refused: 0, bought: 0, over: false };
  const customers: Customer[] = [];
  for (const node of nodes)
    for (let n = 0; n < CUSTOMERS_EACH; n++) customers.push(await newCustomer(node, { credit: CREDIT }));
  const buying = customers.map((customer) => keepBuying(traffic, customer));
  const failed = Promise.all(buying).then(() => new Promise<never>(() => {}));
  const away: number[] = [];
  for (let n = 0; n < failovers; n++) {
    const failover = async () => {
      const { refused: before, bought } = traffic;
      await until(async () => traffic.bought - bought > customers.length);
      const name = await cluster.killPrimary();
      const killed = performance.now();
      await until(async () => traffic.refused > before);
      for (const node of nodes) await until(() => canWrite(node));
      away.push(performance.now() - killed);
      if (n + 1 < failovers) await cluster.revive(name);
    };
    await Promise.race([failover(), failed]);
  }
  traffic.over = true;
  const bought = await Promise.all(buying);
  assert.ok(Math.min(...bought) > 0);
  t.diagnostic(`${failovers} failovers: writes again after ${away.map(Math.round).join(', ')} ms`);
  t.diagnostic(
    `${bought} purchases, ${traffic.refused} requests refused, the slowest ${Math.round(traffic.slowest)} ms`,
  );
  await assertExactly(url, customers, bought);
}

async function canWrite({ operatorSocket }: Target): Promise<boolean> {
  return (await call(operatorSocket, 'POST', '/accounts', { name: 'Test' })).status === 200;
}
