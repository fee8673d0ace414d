// Runs on the embedded engine only: test/soak/soak.full.test.ts calls the same roster on PostgreSQL.
import { test } from 'node:test';
import { findPersonByEmail } from '../../server/db/queries/access/people.ts';
import { DEMO_EMAIL } from '../../server/domain/accounts/demo-account.ts';
import { openPanel, signInByLink } from '../panel/support/panel.ts';
import { callEveryOperation, ROSTER_SETTINGS } from './roster.ts';

test('every operation refuses missing resources, and answers a valid call', async (t) => {
  const panel = await openPanel(t, ROSTER_SETTINGS);
  const customer = await signInByLink(panel, (await findPersonByEmail(panel.services.db, DEMO_EMAIL))!.id);
  await callEveryOperation(panel, customer);
});
