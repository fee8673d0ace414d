import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER } from '../../consoles/support/browser.ts';
import { openPanel } from './support/signed-in.ts';

/** Fields that replies have since the last release: nodes of that release, which serve alongside newer ones, do not send them. */
const NEW_FIELDS = ['language', 'mail_to', 'order_reference'];

test('the form for billing details opens with the reply of a node of the last release', {
  skip: NO_BROWSER,
}, async (t) => {
  const { service, page, complaints } = await openPanel(t);
  const profile = { kind: 'consumer', name: 'Ada', street: 'Main Street 1', city: 'Berlin', country: 'DE' };
  await page.route('**/panel/api/billing-profile', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: { profile: Record<string, unknown> | null } };
    body.data.profile = {
      ...profile,
      ...{ postcode: '10115', vat_id: null, vat_id_checked_at: null, exempt_reason: null },
      ...body.data.profile,
    };
    for (const field of NEW_FIELDS) delete body.data.profile[field];
    await route.fulfill({ response: reply, json: body });
  });
  await page.goto(`${service.baseUrl}/panel/billing/details`);
  assert.equal(await page.getByLabel('Street and number').inputValue(), 'Main Street 1');
  assert.equal(await page.getByLabel('Send invoices to').inputValue(), '');
  assert.deepEqual(complaints, []);
});
