import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { NO_BROWSER } from '../../consoles/support/browser.ts';
import { openPanel, type Panel } from './support/signed-in.ts';

// Parts of the panel that need little of a world share one service and one browser: starting these takes longer than
// each of the parts.
test('parts of the panel', { skip: NO_BROWSER }, async (t) => {
  const panel = await openPanel(t);
  await t.test('a key is created in the panel, shown once, used by curl and revoked', () => makesKey(panel));
  await t.test('at an IP address the panel says why there are no passkeys, and leads to localhost', () =>
    explainsPasskeys(panel),
  );
  await t.test('the form for billing details opens with the reply of a node of the last release', () =>
    readsOlderReply(panel),
  );
});

async function makesKey({ page, complaints }: Panel): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(new URL(page.url()).hash, '', 'the secret of the link is gone from the address');

  // The palette is used with only the keyboard.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('api keys');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('from the panel');
  await dialog.getByRole('textbox', { name: 'Allowed addresses' }).fill('not-an-address');
  const refused = page.waitForResponse((reply) => reply.status() === 422);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await refused;
  await dialog.locator('[aria-invalid="true"]').waitFor();
  await dialog.getByRole('textbox', { name: 'Allowed addresses' }).fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Create key' }).click();

  const command = await page.getByRole('region', { name: 'Command' }).innerText();
  assert.match(command, /^curl -H "Authorization: Bearer vk_\w+" http/);
  const ask = async () =>
    JSON.parse((await promisify(execFile)('bash', ['-c', command.replace('curl', 'curl -s')])).stdout);
  assert.deepEqual((await ask()).data, []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const [, secret] = /Bearer (\w+)/.exec(command)!;
  assert.ok(!(await page.content()).includes(secret!), 'the key is nowhere any more');

  const row = page.getByRole('row', { name: /from the panel/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await row.getByText('Revoked').waitFor();
  // Other nodes learn about the revocation within a moment.
  let reply = await ask();
  while (!reply.error) reply = await ask();
  assert.equal(reply.error.code, 'api_key_invalid');
  assert.deepEqual(complaints, []);
}

/** The panel's message at an IP address and the text of its link, by browser language. */
const WORDS = {
  en: ['Passkeys work only at a host name', 'Open this page at localhost'],
  de: ['Passkeys gelten nur für einen Hostnamen', 'Diese Seite unter localhost öffnen'],
} as const;

async function explainsPasskeys({ service: { baseUrl }, browser, page: signedIn }: Panel): Promise<void> {
  for (const [locale, [why, name]] of Object.entries(WORDS)) {
    const context = await browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(`${baseUrl}/panel/sign-in`);
    await page.getByText(why, { exact: false }).waitFor();
    assert.equal(await page.getByRole('button', { name: /passkey/i }).count(), 0);
    await page.getByRole('link', { name }).click();
    await page.waitForURL((url) => url.hostname === 'localhost' && url.pathname === '/panel/sign-in');
    await page.getByRole('button', { name: /passkey/i }).waitFor();
    assert.equal(await page.getByText(why, { exact: false }).count(), 0);
    await context.close();
  }
  await signedIn.goto(`${baseUrl}/panel/account/security`);
  await signedIn.getByText(WORDS.en[0], { exact: false }).waitFor();
  assert.equal(await signedIn.getByRole('button', { name: 'Add passkey' }).count(), 0);
}

/** Fields that replies have since the last release: nodes of that release, which serve alongside newer ones, do not send them. */
const NEW_FIELDS = ['language', 'mail_to', 'order_reference'];

async function readsOlderReply({ service, page, complaints }: Panel): Promise<void> {
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
}
