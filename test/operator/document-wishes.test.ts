import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOperator } from './support.ts';

const PROFILE = { kind: 'business', name: 'Example', street: 'A 1', city: 'Köln', country: 'DE' };
const WISHES = {
  order_reference: 'PO-4711',
  language: 'de',
  mail_to: ['Billing@Example.com', 'cfo@example.com'],
};

test('omitted fields of a profile stay: order number, language and contacts', async (t) => {
  const { post, newAccount } = await startOperator(t);
  const path = `/accounts/${await newAccount()}/billing-profile`;
  const wishesOf = async (body: object) => {
    const { order_reference, language, mail_to } = (await post(path, body)).json().data.profile;
    return { order_reference, language, mail_to };
  };
  const mail_to = ['Billing@example.com', 'cfo@example.com'];
  assert.deepEqual(await wishesOf({ ...PROFILE, ...WISHES }), { ...WISHES, mail_to });
  assert.deepEqual(await wishesOf({ ...PROFILE, name: 'Other' }), { ...WISHES, mail_to });
  assert.deepEqual(await wishesOf({ ...PROFILE, order_reference: null, mail_to: [] }), {
    ...{ order_reference: null, language: 'de', mail_to: [] },
  });
});

test('a letter that documents cannot print is refused and named, and so is an invalid address', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const path = `/accounts/${await newAccount()}/billing-profile`;
  const refused = await post(path, { ...PROFILE, name: '漢字 GmbH', city: 'שלום العربية' });
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.json().error.details.fields, [
    {
      field: 'name',
      code: 'invalid_characters',
      message: 'contains characters that invoices cannot show: “漢字”',
    },
  ]);
  const wrong = await post(path, { ...PROFILE, mail_to: ['cfo@example.com', 'a, b@example.com'] });
  assert.deepEqual(wrong.json().error.details.fields, [
    { field: 'mail_to', code: 'invalid_format', message: 'a, b@example.com is not an email address' },
  ]);
  assert.equal((await get(path)).json().data.profile, null);
});
