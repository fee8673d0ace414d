import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMail } from '../../server/mail/render.ts';

const SITE = {
  brand: { name: 'Example', light: { color: '#2563c4', text: '#ffffff' }, supportUrl: null },
  panelUrl: 'https://panel.example.com',
};

test("a receipt has the received amount, not the wallet's: a debt is paid first", () => {
  const values = { account: 'ACME', amountMinor: 10_000, currency: 'EUR', reference: 'TOP-1' };
  const english = renderMail('top_up_succeeded', values, 'en', SITE).text;
  assert.match(english, /We have received €100\.00 for the wallet of ACME/);
  assert.doesNotMatch(english, /in the wallet of/);
  const german = renderMail('top_up_succeeded', values, 'de', SITE).text;
  assert.match(german, /100,00\s€ für das Guthaben von ACME erhalten/);
  assert.doesNotMatch(german, /im Guthaben von/);
});
