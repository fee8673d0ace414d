// Runs on both engines: a server goes away, the embedded one breaks down.
import { type TestContext, test } from 'node:test';
import { openPostgres } from '../../server/db/postgres.ts';
import { defer } from '../support/cleanup.ts';
import { findPostgres, overTcp, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import type { Service } from '../support/service.ts';
import { withDatabase } from '../support/template.ts';
import { isReady, keepBuying, type Traffic, until } from './support/buyers.ts';
import { type Customer, newCustomer } from './support/customer.ts';
import { assertExactly, CREDIT, startNodes } from './support/nodes-under-outage.ts';
import { type Network, startNetwork } from './support/swallowing-network.ts';

// Outages of a separate PostgreSQL under two nodes with traffic. To run all of them, which takes some minutes:
//   OUTAGES=100 npm test -- test/chaos/outages.full.test.ts --db pglite
const OUTAGES = Number(process.env.OUTAGES ?? 5);
const CUSTOMERS_EACH = 3;
const DATABASE = 'vauban_outages';
const bin = findPostgres();

interface Env extends Traffic {
  server: PostgresServer;
  network: Network;
  nodes: Service[];
}

/** Begins an outage; returns a function that ends it. */
type Outage = (env: Env) => Promise<() => Promise<void> | void>;

const stopped =
  (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Outage =>
  async ({ server }) => {
    await server.breakDown(signal);
    return () => server.startAgain();
  };

const OUTAGE_KINDS: Record<string, Outage> = {
  'a fast stop': stopped('SIGINT'),
  'an immediate stop': stopped('SIGQUIT'),
  'a killed server': stopped('SIGKILL'),
  'a network that swallows everything': async ({ network }) => {
    network.swallow();
    return () => network.carry();
  },
};

async function terminateEverybody({ server }: Env): Promise<void> {
  const admin = openPostgres(server.url);
  await admin.script(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${DATABASE}'`);
  await admin.close();
}

async function startEnv(t: TestContext): Promise<Env> {
  // Acknowledged writes must survive a kill.
  const server = await startPostgres(bin!, { durable: true });
  defer(t, () => server.stop(false));
  const admin = openPostgres(server.url);
  await admin.script(`create database ${DATABASE}`);
  await admin.close();
  const url = overTcp(withDatabase(server.url, DATABASE));
  const network = await startNetwork(t, Number(url.port));
  url.port = String(network.port);
  const nodes = await startNodes(t, url.href);
  return { server, network, nodes, slowest: 0, refused: 0, bought: 0, over: false };
}

test('two nodes with traffic outlive every outage of their database', {
  skip: !bin && 'PostgreSQL is not installed',
  // A hundred outages take half an hour on a busy machine.
  timeout: 600_000 + OUTAGES * 30_000,
}, async (t) => {
  const env = await startEnv(t);
  const { nodes } = env;
  const customers: Customer[] = [];
  for (const node of nodes)
    for (let n = 0; n < CUSTOMERS_EACH; n++) customers.push(await newCustomer(node, { credit: CREDIT }));
  const buying = customers.map((customer) => keepBuying(env, customer));
  const failed = Promise.all(buying).then(() => new Promise<never>(() => {}));
  const kinds = [...Object.entries(OUTAGE_KINDS), undefined];
  const noticed: number[] = [];
  const back: number[] = [];
  for (let n = 0; n < OUTAGES; n++) {
    const kind = kinds[n % kinds.length];
    const outage = async () => {
      if (!kind) return terminateEverybody(env);
      const end = await kind[1](env);
      // The outage lasts until both nodes have reported it and a customer has noticed.
      const before = env.refused;
      noticed.push(await until(async () => !(await isReady(nodes[0]!)) && !(await isReady(nodes[1]!))));
      await until(async () => env.refused > before);
      await end();
    };
    await Promise.race([outage(), failed]);
    const ready = until(async () => (await isReady(nodes[0]!)) && (await isReady(nodes[1]!)));
    back.push(await Promise.race([ready, failed]));
  }
  env.over = true;
  const bought = await Promise.all(buying);
  const total = bought.reduce((sum, count) => sum + count, 0);
  const most = (times: number[]) => `${Math.round(Math.max(...times))} ms at the most`;
  t.diagnostic(`${OUTAGES} outages: noticed after ${most(noticed)}, back after ${most(back)}`);
  t.diagnostic(
    `${total} purchases, ${env.refused} requests refused, the slowest ${Math.round(env.slowest)} ms`,
  );
  await assertExactly(withDatabase(env.server.url, DATABASE), customers, bought);

  await t.test('a node stops in order without a database', async (t) => {
    env.network.swallow();
    const start = performance.now();
    await nodes[0]!.stop();
    await until(async () => !(await isReady(nodes[1]!)));
    await nodes[1]!.stop();
    t.diagnostic(`both after ${Math.round(performance.now() - start)} ms`);
    env.network.carry();
  });
});
