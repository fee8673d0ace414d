// Runs on the embedded engine only: test/soak/soak.full.test.ts calls the same roster on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESCRIPTION, openPanel } from './support/panel.ts';
import { callEveryOperation, ROSTER_SETTINGS } from './support/roster.ts';

test('every operation of the panel answers a valid call, and refuses missing and foreign resources', async (t) => {
  const panel = await openPanel(t, ROSTER_SETTINGS);
  const answered = await callEveryOperation(panel, async (name, work) => void (await t.test(name, work)));
  assert.deepEqual([...answered].sort(), DESCRIPTION.operations.map(({ id }) => id).sort());
});
