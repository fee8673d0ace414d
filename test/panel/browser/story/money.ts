import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { signsInByPasskey, signsOut } from './identity.ts';
import { asked, balance, button, dialog, heading, PERSON, SELLER, type Stage } from './stage.ts';

const run = promisify(execFile);

/** Enters the recipient of invoices and tops up with the test provider. */
export async function topsUp(stage: Stage): Promise<void> {
  const { page, baseUrl } = stage;
  await page.goto(`${baseUrl}/panel/billing/details`);
  await page.getByLabel('Name', { exact: true }).fill(PERSON.name);
  await page.getByLabel('Street and number').fill('ul. Piotrkowska 1');
  await page.getByLabel('Postcode').fill('90-001');
  await page.getByLabel('City').fill('Łódź');
  await page.getByLabel('Country').selectOption('DE');
  await button(page, 'Save').click();
  await page.getByText('Your purchases are taxed at 19%.').waitFor();
  await page.goto(`${baseUrl}/panel/billing/top-up`);
  await page.getByLabel('Amount').fill('60');
  await button(page, /^Top up €60/).click();
  await page.getByText('The wallet was topped up').waitFor();
  assert.equal(await balance(stage), 60_00);
}

/** Creates a key, uses it with the curl command that the panel shows, and returns that command. */
export async function makesKey({ page, baseUrl }: Stage): Promise<string> {
  await page.goto(`${baseUrl}/panel/keys`);
  await button(page, 'Create key').first().click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('from the story');
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  const command = await page.getByRole('region', { name: 'Command' }).innerText();
  await button(page, 'I have stored it').click();
  const [, secret] = /Bearer (\w+)/.exec(command)!;
  assert.ok(!(await page.content()).includes(secret!), 'the key is nowhere any more');
  assert.deepEqual((await curl(command)).data, []);
  return command;
}

/** Runs the command from the panel unchanged and returns its output. */
// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
export async function curl(command: string): Promise<any> {
  const { stdout } = await run('bash', ['-c', command.replace('curl', 'curl -sS')]);
  return JSON.parse(stdout);
}

export async function revokesKey({ page, baseUrl }: Stage, command: string): Promise<void> {
  await page.goto(`${baseUrl}/panel/keys`);
  const row = page.getByRole('row', { name: /from the story/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
  await row.getByText('Revoked').waitFor();
  // The node learns about the revocation within a moment.
  let refused = await curl(command);
  while (!refused.error) refused = await curl(command);
  assert.equal(refused.error.code, 'api_key_invalid');
  const { stdout } = await run('bash', [
    '-c',
    command.replace('curl', "curl -sS -o /dev/null -w '%{http_code}'"),
  ]);
  assert.equal(stdout, '401');
}

/** Returns after the end of the month: the invoice is there, and its PDF matches the page. */
export async function readsInvoice(stage: Stage): Promise<void> {
  const { page, baseUrl, clock } = stage;
  await signsOut(stage);
  const now = clock.now();
  // Some minutes into the month, when the previous month's invoices are issued.
  clock.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 5) - now.getTime());
  await signsInByPasskey(stage);
  await page.goto(`${baseUrl}/panel/billing/invoices`);
  const row = page.getByRole('row', { name: /Invoice/ }).last();
  for (;;) {
    const invoices = await asked<{ number: string | null }[]>(page, '/v1/billing/invoices');
    if (invoices.some(({ number }) => number !== null)) break;
    clock.advance(60_000);
  }
  await page.reload();
  await row.getByRole('link').first().click();
  await heading(page, /^Invoice /).waitFor();
  const number = (await heading(page, /^Invoice /).innerText()).replace('Invoice ', '');
  const total = /\nTotal\s+€([\d.]+)/.exec(await page.getByRole('main').innerText())![1]!;
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /PDF/ }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), `${number}.pdf`);
  const { stdout: text } = await run('pdftotext', ['-layout', await file.path(), '-']);
  for (const said of [number, SELLER, PERSON.name, 'Łódź', 'Shared S1', total])
    assert.ok(text.includes(said), `${said} in\n${text}`);
}

/** The rest is paid back to its source: an account with money cannot be closed. */
export async function isPaidBack(stage: Stage): Promise<void> {
  const [topUp] = await asked<{ id: string }[]>(stage.page, '/top-ups');
  const refund = await stage.operate(`/top-ups/${topUp!.id}/refunds`, {
    amount_minor: await balance(stage),
    reason: 'the account is closed',
  });
  assert.equal(refund.status, 'succeeded', JSON.stringify(refund));
  assert.equal(await balance(stage), 0);
}
