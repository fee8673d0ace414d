import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { NO_BROWSER, newPage, startBrowser } from '../../consoles/support/browser.ts';
import { vaubanctl } from '../../operator/vaubanctl.ts';
import { looksRight } from '../../panel/browser/support/looks.ts';
import { buildIfChanged, demoLink, signInWithLink } from '../../panel/browser/support/panel-page.ts';
import { violations } from '../../support/axe.ts';
import { defer } from '../../support/cleanup.ts';
import { type Service, startService } from '../../support/service.ts';
import { REPOSITORY } from '../../support/source.ts';
import { PASSWORD } from '../support/operator.ts';

const PAGES = [
  ...['', 'accounts', 'machines', 'jobs', 'money', 'outages', 'shield', 'host', 'mails', 'log', 'security'],
];

/** Writes the shipped catalog with SLA credits. */
async function catalogWithSla(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-'));
  defer(t, () => rm(directory, { recursive: true }));
  const path = join(directory, 'catalog.yaml');
  const sla = 'sla: { credits: [{ uptime_below: "99.9", percent: 10 }] }';
  await writeFile(path, `${await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8')}\n${sla}\n`);
  return path;
}

/** Returns the operator's sign-in link that the first start printed. */
function operatorLink({ output }: Service): string {
  const [link] = /\/operator\/sign-in\/link#[\w-]+/.exec(output()) ?? [];
  assert.ok(link, 'the first start prints a link for an operator, too');
  return link;
}

/** An operator's page, and the commands of the machine that it runs on. */
interface Desk {
  page: Page;
  /** Opens a path below /operator and waits until all of its data has loaded. */
  open: (path: string) => Promise<void>;
  command: (...args: string[]) => Promise<string>;
}

async function announceTransfer(page: Page, service: Service): Promise<string> {
  await signInWithLink(page, service.baseUrl + demoLink(service));
  await page.waitForURL('**/machines');
  const reply = await page.evaluate(async () => {
    const body = JSON.stringify({ provider: 'bank_transfer', amount_minor: 5_000 });
    const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
    return (await fetch('/panel/api/top-ups', { method: 'POST', headers, body })).json();
  });
  return reply.data.top_up.reference;
}

/** Opens the link, and sets up a password and an authenticator app. */
async function enrol(page: Page, service: Service): Promise<void> {
  await page.goto(service.baseUrl + operatorLink(service));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
  await page.goto(`${service.baseUrl}/operator/accounts`);
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();
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
  await page.getByLabel('Name, ID or a member’s address').fill('demo@vauban');
  await page.getByRole('link', { name: 'demo', exact: true }).click();
  await page.getByRole('button', { name: 'Credit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('12,34');
  await dialog.getByLabel('Reason').fill('goodwill for the outage');
  await dialog.getByRole('button', { name: 'Credit', exact: true }).click();
  const parts = page.getByRole('navigation', { name: 'demo' });
  await parts.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('cell', { name: 'goodwill for the outage' }).waitFor();
  assert.match(await command('account', 'list'), /demo\s+active\s+112\.34 EUR/);
}

async function confirmTransfer({ page, open, command }: Desk, reference: string): Promise<void> {
  await open('money');
  await page.getByRole('row', { name: reference }).getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('No pending transfers.').waitFor();
  const paid = new RegExp(`${reference}.*bank_transfer.*50\\.00 EUR.*succeeded`);
  assert.match(await command('payment', 'list'), paid);
}

/** Both are in the log under the operator's address, on the page and on the machine. */
async function readLog({ page, open, command }: Desk): Promise<void> {
  await open('log');
  await page.getByText('reason: goodwill for the outage').first().waitFor();
  const log = await command('log');
  const who = String.raw`operator@vauban\.example from 127\.0\.0\.1\s+POST `;
  assert.match(log, new RegExp(String.raw`${who}/top-ups/\S+/confirm`));
  assert.match(log, new RegExp(String.raw`${who}/accounts/\S+/adjustments`));
}

/** Makes the demo customer buy a machine; returns its id and its address. */
async function buyMachine(page: Page, hostname = 'web-1'): Promise<{ id: string; ipv4: string }> {
  return page.evaluate(async (hostname) => {
    const ask = async (path: string, init?: RequestInit) =>
      (await (await fetch(`/panel/api/v1/vm${path}`, init)).json()).data;
    const body = JSON.stringify({ plan: 's1', template: 'debian-12', hostname });
    const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
    const { vm } = await ask('', { method: 'POST', headers, body });
    for (;;) {
      const now = await ask(`/${vm.id}?wait_seconds=10`);
      if (!now.active_job) return now;
    }
  }, hostname);
}

/** Opens a machine through the palette. */
async function find({ page }: Desk, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(name);
  await page.getByRole('option', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Refunds a part of an order, and revokes credit that was granted on the server. */
async function correct({ page, open, command }: Desk, account: string): Promise<void> {
  const until = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await command('promo', 'grant', account, '5.00', '--until', until, '--reason', 'welcome');
  await open(`accounts/${account}/money`);
  await page.getByRole('row', { name: 'New machine' }).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('1,00');
  await dialog.getByLabel('Reason').fill('slow for a day');
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByRole('table', { name: 'Corrections' }).getByText('slow for a day').waitFor();
  assert.match(await command('order', 'list', account), /adjustment +completed +-1\.00 EUR/);
  assert.match(await command('invoice', 'list', account), /credit note +draft +-13\.34 EUR/);
  await page
    .getByRole('table', { name: 'Invoices and credit notes' })
    .getByText('Not issued yet')
    .first()
    .waitFor();
  await page.getByRole('row', { name: 'welcome' }).getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('row', { name: 'welcome' }).getByText('Revoked').waitFor();
  assert.match(await command('promo', 'list', account), /revoked/);
}

/** Opens this month's documents, which are drafts, and downloads them and their sales. */
async function takeDocuments({ page, open }: Desk, account: string): Promise<void> {
  await open('money');
  const heading = page.getByRole('heading', { name: 'Documents', exact: true });
  const section = page.locator('section').filter({ has: heading });
  await section.getByLabel('Month').fill(new Date().toISOString().slice(0, 7));
  const rows = section.getByRole('row', { name: 'No number yet' });
  await rows.filter({ hasText: '13.34' }).waitFor();
  assert.equal(await rows.count(), 2);
  const download = async (name: string) => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      section.getByRole('link', { name, exact: true }).click(),
    ]);
    return readFile(await file.path());
  };
  const sales = (await download('Sales as CSV')).toString();
  assert.match(
    sales,
    new RegExp(`,credit_note,draft,,${account},demo,,,zero_rated,0,-13\\.34,0\\.00,-13\\.34,EUR,`),
  );
  assert.deepEqual([...(await download('Download all')).subarray(0, 2)], [0x1f, 0x8b], 'gzip');
  if (process.env.VAUBAN_TEST_SCREENSHOTS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const path = join(process.env.VAUBAN_TEST_SCREENSHOTS, `documents-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
}

async function creditOutage({ page, open, command }: Desk, vm: string): Promise<void> {
  await open('outages');
  await page.getByRole('button', { name: 'Report outage' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Affected', { exact: true }).selectOption('One machine');
  await dialog.getByLabel('Machine ID').fill(vm);
  await dialog.getByLabel('From', { exact: true }).fill('2026-01-01T10:00');
  await dialog.getByLabel('To', { exact: true }).fill('2026-01-01T12:00');
  await dialog.getByLabel('Reason').fill('switch failed');
  await dialog.getByRole('button', { name: 'Report', exact: true }).click();
  await page.getByRole('row', { name: 'switch failed' }).getByRole('button', { name: 'Credit' }).click();
  await dialog.getByRole('button', { name: 'Credit', exact: true }).click();
  await page.getByRole('row', { name: 'switch failed' }).getByText('Credited', { exact: true }).waitFor();
  assert.match(await command('outage', 'list'), /credited/);
}

/** Creates a tenant for an account and protects one of its addresses. */
async function protect({ page, open, command }: Desk, account: string, ip: string): Promise<void> {
  await open('shield');
  await page.getByRole('button', { name: 'New tenant' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Account ID').fill(account);
  await dialog.getByLabel('Name', { exact: true }).fill('Web');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('row', { name: 'Web' }).getByRole('button', { name: 'Protect address' }).click();
  await dialog.getByLabel('Address', { exact: true }).fill(ip);
  await dialog.getByRole('button', { name: 'Protect address', exact: true }).click();
  await page.getByRole('table', { name: 'Protected addresses' }).getByText(ip, { exact: true }).waitFor();
  assert.ok((await command('target', 'list')).includes(ip));
}

/** Sets a threshold, has an invalid one rejected, and returns to the learned one. */
async function setThreshold({ page, command }: Desk, ip: string): Promise<void> {
  const inForce = (text: string) =>
    page.getByRole('button', { name: `Threshold of ${ip}: ${text}`, exact: true });
  const dialog = page.getByRole('dialog');
  const stored = async () => JSON.parse(await command('--json', 'target', 'list'))[0].threshold;
  await inForce('40,000 pps, 500 Mbit/s (learned)').click();
  await dialog.getByLabel('Packets per second').fill('20000');
  await dialog.getByLabel('Megabits per second').fill('200');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await inForce('20,000 pps, 200 Mbit/s (set)').click();
  assert.deepEqual(await stored(), { pps: 20_000, bps: 200_000_000 });

  // Invalid input must not be treated as an empty field, which means the learned threshold.
  for (const wrong of ['many', '0']) {
    await dialog.getByLabel('Packets per second').fill(wrong);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a number above 0').waitFor();
  }
  assert.deepEqual(await stored(), { pps: 20_000, bps: 200_000_000 });
  await dialog.getByLabel('Packets per second').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await inForce('40,000 pps, 200 Mbit/s (set)').click();
  await dialog.getByRole('button', { name: 'Learn both' }).click();
  await inForce('40,000 pps, 500 Mbit/s (learned)').waitFor();
  assert.deepEqual(await stored(), { pps: null, bps: null });
}

/** Drains the host without machines, and uses it again. */
async function emptyHost({ page, open, command }: Desk): Promise<void> {
  const hosts: { name: string; vms: number }[] = JSON.parse(await command('--json', 'host', 'list'));
  const { name: free } = hosts.find(({ vms }) => vms === 0)!;
  await open('host');
  const row = page.getByRole('table', { name: 'Hosts' }).getByRole('row', { name: free });
  await row.getByRole('button', { name: 'Move machines away' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move machines away', exact: true }).click();
  await row.getByText('Empty').waitFor();
  assert.match(await command('host', 'list'), new RegExp(`^${free} +evacuated`, 'm'));
  await row.getByRole('button', { name: 'Use again' }).click();
  await row.getByText('In use').waitFor();
}

/**
 * Announces the move of a machine that has to be switched off for it: the customer sees the time until the move is
 * called off.
 */
async function announceMove({ page, open, command }: Desk, customer: Page): Promise<void> {
  const { id } = await buyMachine(customer, 'sim-moves-cold');
  const { name: host } = (
    JSON.parse(await command('--json', 'host', 'list')) as { name: string; vms: number }[]
  )
    .filter(({ vms }) => vms === 1)
    .at(-1)!;
  await open('host');
  const row = page.getByRole('table', { name: 'Hosts' }).getByRole('row', { name: host });
  await row.getByRole('button', { name: 'Move machines away' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('In a window', { exact: true }).click();
  await dialog.getByLabel('From', { exact: true }).fill('2100-01-31T04:00');
  await dialog.getByLabel('To', { exact: true }).fill('2100-01-31T06:00');
  await dialog.getByRole('button', { name: 'Move machines away', exact: true }).click();
  await page.getByRole('columnheader', { name: 'Switched off' }).waitFor();
  await row.getByText('Draining').waitFor();
  await customer.goto(new URL(`/panel/machines/${id}`, page.url()).href);
  await customer.getByText('Maintenance: briefly switched off').waitFor();
  if (process.env.VAUBAN_TEST_SCREENSHOTS) {
    await looksRight(customer, customer.url(), 'panel move announced');
    await looksRight(page, page.url(), 'operator move announced');
  }
  await row.getByRole('button', { name: 'Use again' }).click();
  await row.getByText('In use').waitFor();
  await customer.reload();
  await customer.getByText('The move of the VM between').waitFor();
  await customer.getByText('Maintenance: briefly switched off').waitFor({ state: 'detached' });
}

/** Wide in one theme and narrow in the other: colours do not depend on the width, nor boxes on the theme. */
async function lookAt({ page, open }: Desk, path: string): Promise<void> {
  if (process.env.VAUBAN_TEST_SCREENSHOTS) {
    const url = new URL(`/operator/${path}`, page.url()).href;
    return looksRight(page, url, `operator ${path.replace(/acc_\w+/, 'one')}`);
  }
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
      VAUBAN_SIMULATOR_HOSTS: 'a1, a2',
      VAUBAN_CATALOG: await catalogWithSla(t),
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

  // Without a session every page redirects to the sign-in.
  await page.goto(`${service.baseUrl}/operator/money`);
  await page.waitForURL('**/operator/sign-in?next=%2Fmoney');
  await page.locator('h1').waitFor();
  assert.deepEqual(await violations(page), []);

  await enrol(page, service);
  await credit(desk);
  await confirmTransfer(desk, reference);
  await readLog(desk);
  const [account] = JSON.parse(await desk.command('--json', 'account', 'list'));
  const machine = await buyMachine(customer);
  await find(desk, 'web-1');
  await correct(desk, account.id);
  await takeDocuments(desk, account.id);
  await creditOutage(desk, machine.id);
  await protect(desk, account.id, machine.ipv4);
  await setThreshold(desk, machine.ipv4);
  await emptyHost(desk);
  await announceMove(desk, customer);
  for (const path of [...PAGES, `accounts/${account.id}`, `accounts/${account.id}/money`])
    await lookAt(desk, path);

  assert.deepEqual(complaints, []);
  assert.deepEqual([...hosts], [new URL(service.baseUrl).host], 'nothing comes from elsewhere');
});
