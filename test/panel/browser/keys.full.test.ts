import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { NO_BROWSER, startBrowser } from '../../consoles/support/browser.ts';
import { startService } from '../../support/service.ts';
import { buildIfChanged, demoLink, newPanelPage, signInWithLink } from './support/panel-page.ts';

test('a key is created in the panel, shown once, used by curl and revoked', {
  skip: NO_BROWSER,
}, async (t) => {
  await buildIfChanged();
  const service = await startService(t);
  const { page, complaints } = await newPanelPage(await startBrowser(t), service);
  await signInWithLink(page, service.baseUrl + demoLink(service));
  await page.waitForURL('**/machines');
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(new URL(page.url()).hash, '', 'the secret of the link is gone from the address');

  // With only the keyboard, as far as the palette goes.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('api keys');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('from the panel');
  await dialog.getByRole('textbox', { name: 'Allowed addresses' }).fill('not-an-address');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.locator('[aria-invalid="true"]').waitFor();
  await dialog.getByRole('textbox', { name: 'Allowed addresses' }).fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Create key' }).click();

  const command = await page.getByRole('region', { name: 'Command' }).innerText();
  assert.match(command, /^curl -H "Authorization: Bearer vk_\w+" http/);
  const { stdout } = await promisify(execFile)('bash', ['-c', command.replace('curl', 'curl -s')]);
  assert.deepEqual(JSON.parse(stdout).data, []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const [, secret] = /Bearer (\w+)/.exec(command)!;
  assert.ok(!(await page.content()).includes(secret!), 'the key is nowhere any more');

  const row = page.getByRole('row', { name: /from the panel/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await row.getByText('Revoked').waitFor();
  // Every node learns of it within a moment.
  const ask = async () =>
    JSON.parse((await promisify(execFile)('bash', ['-c', command.replace('curl', 'curl -s')])).stdout);
  let refused = await ask();
  while (!refused.error) refused = await ask();
  assert.equal(refused.error.code, 'api_key_invalid');
  // The complaint about the invalid address.
  assert.equal(complaints.length, 1);
  assert.match(complaints[0]!, /422/);
});
