import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openPostgres } from '../../../server/db/postgres.ts';
import { defer } from '../../support/cleanup.ts';
import { assertInvariants } from '../../support/invariants.ts';
import { type Service, startService } from '../../support/service.ts';
import { SHARED_SETTINGS } from './another-node.ts';
import type { Customer } from './customer.ts';

/** The customers' initial credit in major units: enough for any test. */
export const CREDIT = '1000';

/** Starts two nodes of one installation on the database at `url`; their machines boot immediately. */
export async function startNodes(t: TestContext, url: string): Promise<Service[]> {
  const nodes: Service[] = [];
  for (let n = 0; n < 2; n++) {
    const dataDir = await mkdtemp(join(tmpdir(), 'vauban-'));
    defer(t, () => rm(dataDir, { recursive: true, force: true }));
    const env = { VAUBAN_DATA_DIR: dataDir, DATABASE_URL: url };
    const location = { env, open: async () => openPostgres(url) };
    const limits = { VAUBAN_RATE_LIMIT_KEY: '1000000', VAUBAN_RATE_LIMIT_ACCOUNT: '1000000' };
    nodes.push(
      await startService(t, {
        location,
        env: { ...SHARED_SETTINGS, ...limits, VAUBAN_SIMULATOR_BOOT_SECONDS: '0', VAUBAN_LOG_LEVEL: 'info' },
      }),
    );
  }
  return nodes;
}

/** Fails unless each customer bought and deleted exactly as often as `bought` says, and the books are right. */
export async function assertExactly(url: string, customers: Customer[], bought: number[]): Promise<void> {
  const db = openPostgres(url);
  try {
    for (const [n, customer] of customers.entries()) {
      const { available_minor, held_minor } = await customer.ask('GET', '/v1/billing/wallet');
      const rows = await db.script(
        `select kind, status, count(*) as n from orders where account_id = '${customer.accountId}' group by 1, 2`,
      );
      const orders = rows.map(({ kind, status, n }) => `${kind} ${status} ${n}`).sort();
      assert.deepEqual(orders, [`create completed ${bought[n]}`, `delete_refund completed ${bought[n]}`]);
      assert.ok(held_minor === 0 && available_minor <= Number(CREDIT) * 100);
    }
    await assertInvariants(db);
  } finally {
    await db.close();
  }
}
