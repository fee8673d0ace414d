import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { NO_BROWSER, newPage, startBrowser } from '../../consoles/support/browser.ts';
import { vaubanctl } from '../../operator/vaubanctl.ts';
import { buildIfChanged, demoLink } from '../../panel/browser/support/panel-page.ts';
import { violations } from '../../support/axe.ts';
import { type Service, startService } from '../../support/service.ts';
import { PASSWORD } from '../support/operator.ts';

const PAGES = ['', 'accounts', 'machines', 'jobs', 'money', 'shield', 'host', 'mails', 'log', 'security'];

/** The way in for the operator that the first start has printed. */
function operatorLink({ output }: Service): string {
  const [link] = /\/operator\/sign-in\/link#[\w-]+/.exec(output()) ?? [];
  assert.ok(link, 'the first start prints a link for an operator, too');
  return link;
}

/** An operator's page, and the commands of the machine it runs on. */
interface Desk {
  page: Page;
  /** Goes to a path below /operator and waits until all that it shows is read. */
  open: (path: string) => Promise<void>;
  /** What `vaubanctl` prints. */
  command: (...args: string[]) => Promise<string>;
}

/** Has the demo customer announce a bank transfer. */
async function announceTransfer(page: Page, service: Service): Promise<string> {
  await page.goto(service.baseUrl + demoLink(service));
  await page.waitForURL('**/machines');
  const reply = await page.evaluate(async () => {
    const body = JSON.stringify({ provider: 'bank_transfer', amount_minor: 5_000 });
    const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
    return (await fetch('/panel/api/top-ups', { method: 'POST', headers, body })).json();
  });
  return reply.data.top_up.reference;
}

/** Comes by the link, and sets up a password and an authenticator app. */
async function enrol(page: Page, service: Service): Promise<void> {
  await page.goto(service.baseUrl + operatorLink(service));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
  await page.goto(`${service.baseUrl}/operator/accounts`);
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The password is changed').waitFor();
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const secret = await dialog.getByText(/^[A-Z2-7]{32}$/).innerText();
  await dialog
    .getByRole('textbox', { name: 'Code' })
    .fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('heading', { name: 'Accounts' }).waitFor();
}

/** Finds the demo account by its member's address, and credits it with a reason. */
async function credit({ page, command }: Desk): Promise<void> {
  await page.getByLabel('Name, id or a member’s address').fill('demo@vauban');
  await page.getByRole('link', { name: 'demo', exact: true }).click();
  await page.getByRole('button', { name: 'Credit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('12,34');
  await dialog.getByLabel('Reason').fill('goodwill for the outage');
  await dialog.getByRole('button', { name: 'Credit', exact: true }).click();
  await page.getByRole('cell', { name: 'goodwill for the outage' }).waitFor();
  assert.match(await command('account', 'list'), /demo\s+active\s+112\.34 EUR/);
}

async function confirmTransfer({ page, open, command }: Desk, reference: string): Promise<void> {
  await open('money');
  await page.getByRole('row', { name: reference }).getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('No transfer waits.').waitFor();
  const paid = new RegExp(`${reference}.*bank_transfer.*50\\.00 EUR.*succeeded`);
  assert.match(await command('payment', 'list'), paid);
}

/** Both are on record under the operator's address, on the page and on the machine. */
async function readLog({ page, open, command }: Desk): Promise<void> {
  await open('log');
  await page.getByText('reason: goodwill for the outage').first().waitFor();
  const log = await command('log');
  const who = String.raw`operator@vauban\.example from 127\.0\.0\.1\s+POST `;
  assert.match(log, new RegExp(String.raw`${who}/top-ups/\S+/confirm`));
  assert.match(log, new RegExp(String.raw`${who}/accounts/\S+/adjustments`));
}

/** Wide in one theme and narrow in the other: colours know no width, and boxes no theme. */
async function lookAt({ page, open }: Desk, path: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 320],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await open(path);
    const where = `/${path}, ${colorScheme}, ${width} pixels`;
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, where);
    assert.deepEqual(await violations(page), [], where);
  }
}

test('an operator goes through every page, credits an account and confirms a transfer', {
  skip: NO_BROWSER,
}, async (t) => {
  await buildIfChanged();
  const service = await startService(t, {
    env: {
      VAUBAN_RATE_LIMIT_IP: '100000',
      VAUBAN_PAYMENT_PROVIDERS: 'test, bank_transfer',
      VAUBAN_BANK_RECIPIENT: 'Example Hosting',
      VAUBAN_BANK_IBAN: 'DE89370400440532013000',
    },
  });
  const browser = await startBrowser(t);
  const { page: customer } = await newPage(browser);
  const reference = await announceTransfer(customer, service);
  const { page, hosts, complaints } = await newPage(browser);
  const desk: Desk = {
    page,
    async open(path) {
      await page.goto(`${service.baseUrl}/operator/${path}`);
      await page.locator('h1').first().waitFor();
      await page.locator('main [role="status"][aria-label]').first().waitFor({ state: 'detached' });
    },
    command: async (...args) => (await vaubanctl(dirname(service.operatorSocket), ...args)).stdout,
  };

  // Without a session every page leads to the sign-in.
  await page.goto(`${service.baseUrl}/operator/money`);
  await page.waitForURL('**/operator/sign-in?next=%2Fmoney');
  assert.deepEqual(await violations(page), []);

  await enrol(page, service);
  await credit(desk);
  await confirmTransfer(desk, reference);
  await readLog(desk);
  const [account] = JSON.parse(await desk.command('--json', 'account', 'list'));
  for (const path of [...PAGES, `accounts/${account.id}`]) await lookAt(desk, path);

  assert.deepEqual(complaints, []);
  assert.deepEqual([...hosts], [new URL(service.baseUrl).host], 'nothing comes from elsewhere');
});
