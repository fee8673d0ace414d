import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOperator } from './support.ts';

test('a reason that stands on documents has letters that they can print', async (t) => {
  const { post, newAccount } = await startOperator(t);
  const path = `/accounts/${await newAccount()}`;
  const reason = 'お詫び';
  const refused = {
    field: 'reason',
    code: 'invalid_characters',
    message: 'contains characters that invoices cannot show: “お詫び”',
  };
  const span = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' };
  for (const [where, body] of [
    [`${path}/adjustments`, { type: 'credit', amount_minor: 100 }],
    ['/outages', { region: 'eu-central', ...span }],
  ] as const) {
    const reply = await post(where, { ...body, reason });
    assert.equal(reply.status, 422, where);
    assert.deepEqual(reply.json().error.details.fields, [refused], where);
  }
  const { status } = await post(`${path}/adjustments`, {
    type: 'credit',
    amount_minor: 100,
    reason: 'Kulanz',
  });
  assert.equal(status, 200);
});
