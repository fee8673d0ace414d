// Runs on both engines: each has its own way of running out of space.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { defer } from '../support/cleanup.ts';
import { assertInvariants } from '../support/invariants.ts';
import { type Service, startService } from '../support/service.ts';
import { noSmallDisk, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { copyPgliteTemplate } from '../support/template.ts';
import { ask, insist, isReady, keepBuying, type Traffic, until } from './support/buyers.ts';
import { type Customer, newCustomer } from './support/customer.ts';

// The embedded engine on a disk that fills up while the service has traffic.

const SIZE_MB = 160;
/** The bytes that the traffic may still use of the write-ahead log's current file, which has 16 MB. */
const LOG_LEFT = 6 * 2 ** 20;

/** The space left on the disk, and the error that the service must report then. */
const CASES = {
  'its tables cannot grow': { leftMb: 0, met: /the database does not work: could not extend file/ },
  // Less than the log's next file needs, and more than the tables need until then.
  'its log cannot grow': { leftMb: 12, met: /the embedded database failed/ },
};

interface Env extends Traffic {
  disk: SmallDisk;
  directory: string;
  service: Service;
}

/** Uses up the log's current file except for `LOG_LEFT`, which would take the traffic a while. */
async function useUpLog(directory: string): Promise<void> {
  const db = await openPglite(directory);
  const inFile = sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint % (16 * 1024 * 1024) as used`;
  for (;;) {
    const [row] = await db.query<{ used: bigint }>(inFile);
    if (Number(row!.used) > 16 * 2 ** 20 - LOG_LEFT - 100_000) break;
    await db.query(sql`select pg_logical_emit_message(true, '', repeat('x', 100000))`);
  }
  await db.close();
}

async function startEnv(t: TestContext): Promise<Env> {
  const disk = await smallDisk(t, SIZE_MB);
  const directory = join(disk.directory, 'pglite');
  await copyPgliteTemplate(directory);
  await useUpLog(directory);
  const env = { VAUBAN_DATA_DIR: disk.directory };
  const service = await startService(t, {
    location: { env, open: () => openPglite(directory) },
    env: {
      VAUBAN_RATE_LIMIT_KEY: '1000000',
      VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
      VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
      VAUBAN_LOG_LEVEL: 'info',
    },
  });
  return { disk, directory, service, slowest: 0, refused: 0, bought: 0, over: false };
}

/** Keeps reading until the outage is over; `ask` checks every reply. */
async function keepReading(env: Env, customer: Customer): Promise<void> {
  while (!env.over) {
    await ask(env, customer, 'GET', '/v1/billing/wallet');
    await sleep(20);
  }
}

for (const [name, { leftMb, met }] of Object.entries(CASES))
  test(`a full disk while ${name} loses nothing and ends nothing`, { skip: noSmallDisk }, async (t) => {
    const env = await startEnv(t);
    const { disk, service } = env;
    const account = { credit: '10000', limits: { vms: 1_000 } };
    const customers = [await newCustomer(service, account), await newCustomer(service, account)];
    const buying = customers.map((customer) => keepBuying(env, customer));
    const reading = customers.map((customer) => keepReading(env, customer));
    const failed = Promise.all([...buying, ...reading]).then(() => new Promise<never>(() => {}));
    // A separate buyer: while nothing can be written, all of the traffic's buyers may be waiting for their machines.
    let extra = 0;
    const buyUntilRefused = async () => {
      for (; ; extra++) {
        const body = { plan: 's1', template: 'debian-12', hostname: 'extra' };
        const call = ['POST', '/v1/vm', { body, idempotencyKey: randomUUID() }] as const;
        const reply = await ask(env, customers[1]!, ...call);
        if (reply.status === 503) return call;
        assert.equal(reply.status, 200, reply.text);
        const { id } = reply.json.data.vm;
        extras.push(id);
        // The traffic fills most of the disk.
        await sleep(200);
      }
    };
    const outage = async () => {
      await disk.fill(leftMb);
      const call = await buyUntilRefused();
      await until(async () => !(await isReady(service)));
      const report = await fetch(`${service.baseUrl}/readyz`);
      assert.equal(report.status, 503);
      // The simulated guests are stored in the database, so they may be unavailable too.
      const { failing } = (await report.json()) as { failing: string[] };
      assert.equal(failing[0], 'database');
      assert.match(service.output(), met);
      assert.equal((await ask(env, customers[1]!, ...call)).status, 503, 'the same again');
      await disk.makeRoom();
      return call;
    };
    const extras: string[] = [];
    const call = await Promise.race([outage(), failed]);
    const [first, second] = [
      await insist(env, customers[1]!, ...call),
      await insist(env, customers[1]!, ...call),
    ];
    assert.equal(second.text, first.text);
    const back = await Promise.race([until(() => isReady(service)), failed]);
    env.over = true;
    const bought = await Promise.all(buying);
    await Promise.all(reading);
    t.diagnostic(
      `${bought} purchases, ${env.refused} requests refused, ready ${Math.round(back)} ms after the last`,
    );
    for (const id of [...extras, first.json.data.vm.id])
      assert.equal((await customers[1]!.settled(id)).status, 'running', 'each that was acknowledged');
    await service.stop();

    const db = await openPglite(env.directory);
    defer(t, () => db.close());
    for (const [n, { accountId }] of customers.entries()) {
      const rows = await db.query<{ what: string }>(sql`
        select kind || ' ' || status || ' ' || count(*) as what from orders where account_id = ${accountId}
        group by kind, status order by 1`);
      const expected = [
        `create completed ${bought[n]! + n * (extra + 1)}`,
        `delete_refund completed ${bought[n]}`,
      ];
      assert.deepEqual(
        rows.map(({ what }) => what),
        expected,
      );
    }
    await assertInvariants(db);
  });
