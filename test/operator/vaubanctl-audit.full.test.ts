import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('the audit ends with 0 and no rows, or with 1 and each row', async (t) => {
  const { dataDir, db, metrics, newAccount, post } = await startOperator(t);
  const id = await newAccount();
  await post(`/accounts/${id}/credits`, { amount: '50.00' });
  const sound = await vaubanctl(dataDir, 'audit');
  assert.deepEqual([sound.code, sound.stdout], [0, '']);
  assert.match(sound.stderr, /^\d+ laws, 1 accounts: no findings\.\n$/);
  assert.match(await metrics.text(), /^vauban_audit_findings 0$/m);

  await db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`update wallets set available_minor = 6000 where account_id = ${id}`);
  });
  const found = await vaubanctl(dataDir, 'audit');
  assert.equal(found.code, 1);
  assert.match(found.stdout, /^LAW +FINDING$/m);
  assert.ok(found.stdout.includes(`${id} has 6000 + 0 held, its journal says 5000 + 0`));
  const report = await vaubanctl(dataDir, 'audit', '--json');
  assert.equal(report.code, 1);
  assert.deepEqual(
    JSON.parse(report.stdout).findings.map(({ law }: { law: string }) => law),
    ['the balances of a wallet match its journal'],
  );
  assert.match(await metrics.text(), /^vauban_audit_findings 1$/m);
  assert.match(await metrics.text(), /^vauban_audit_last_run_timestamp_seconds 1767225600$/m);
});
