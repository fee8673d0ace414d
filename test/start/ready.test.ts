// Runs on the embedded engine only: test/start/served.full.test.ts starts the service on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

test('the service starts as a separate process, serves a customer and stops', async (t) => {
  const service = await startService(t);
  const get = (path: string, key = service.demoKey) =>
    fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });
  assert.equal((await get('/readyz')).status, 200);
  assert.equal((await get('/v1/vm/catalog', 'vk_unknown')).status, 401);
  const wallet = await get('/v1/billing/wallet');
  assert.equal(wallet.status, 200);
  const { data } = (await wallet.json()) as { data: { balance_minor: number } };
  assert.equal(data.balance_minor, 10_000);
  await service.stop();
});
