import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Leadership } from '../../server/cluster/leadership.ts';
import { sql } from '../../server/db/database.ts';
import { auditDaily } from '../../server/jobs/timers/audit-books.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { createMetrics } from '../../server/platform/metrics.ts';
import { fundedAccount } from '../billing/support.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const HOUR_MS = 3_600_000;

test('the books are audited once a day, each finding is an error in the log, and every node says so', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:00:00Z');
  const lines: { level: string; what?: string; msg: string }[] = [];
  const logger = createLogger(
    { logLevel: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const node = () => ({ db, clock, logger, metrics: createMetrics('test'), leadership: new Leadership(db) });
  const [first, second] = [node(), node()];
  defer(t, () => Promise.all([first.leadership.leave(), second.leadership.leave()]));
  const findings = async ({ metrics }: typeof first) =>
    /^vauban_audit_findings (\d+)$/m.exec(await metrics.text())?.[1];

  const id = await fundedAccount(db, clock, 5000n);
  await auditDaily(first);
  assert.deepEqual([await findings(first), lines], ['0', []]);

  await db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`update wallets set available_minor = 6000 where account_id = ${id}`);
  });
  clock.advance(23 * HOUR_MS);
  await auditDaily(first);
  assert.deepEqual([await findings(first), lines], ['0', []], 'the day is not over');
  clock.advance(HOUR_MS);
  await auditDaily(first);
  assert.equal(await findings(first), '1');
  assert.deepEqual(
    lines.map(({ msg, what }) => [msg, what]),
    [
      ['audit finding', `${id} has 6000 + 0 held, its journal says 5000 + 0; promotional are 0 and 0`],
      ['the books contradict themselves', undefined],
    ],
  );
  await auditDaily(second);
  assert.equal(await findings(second), '1', 'a node that did not audit says what the last audit found');
});
