import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../../consoles/support/browser.ts';
import { choose } from './support/choose.ts';
import { openPanel, type Panel } from './support/signed-in.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of this machine' }).getByRole('link', { name, exact: true });

/** The lines on the terminal's screen. */
const printed = (page: Page) => page.frameLocator('iframe').locator('.xterm-rows');

test('machines, from the purchase to the refund', { skip: NO_BROWSER }, async (t) => {
  const panel = await openPanel(t);
  const { page } = panel;
  await buys(page);
  // Each step continues where the previous one ended, so a failure stops the test.
  const step = async (name: string, work: () => Promise<void>) => {
    let passed = false;
    await t.test(name, async () => {
      await work();
      passed = true;
    });
    assert.ok(passed, name);
  };
  await step('types a command in the terminal and reads what it printed', async () => {
    await page.getByRole('link', { name: 'Open terminal' }).click();
    await types(page, 'cat /etc/hostname', /^web-1\s*$/);
  });
  await step('shares a terminal with somebody who has no account', () => shares(panel));
  await step('opens a port, with what that changes shown before', () => opensAPort(page));
  await step('takes a snapshot and goes back to it', () => restores(page));
  await step('lets the agent work, and asks before each command', () => asksTheAgent(page));
  await step('resizes, with what it costs shown before', () => resizes(page));
  await step('deletes, with what is lost and what comes back', () => deletes(page));
  await step('scrolls ten thousand machines', () => scrolls(panel));
  assert.deepEqual(panel.complaints, []);
});

/** Buys a machine and watches until it is running. */
async function buys(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Create machine' }).first().click();
  await button(page, 'Buy and create').click();
  // The service reports which field is invalid.
  await page
    .getByText(/hostname|must/i)
    .first()
    .waitFor();
  await page.getByLabel('Hostname').fill('web-1');
  await choose(page, 'Custom size');
  for (const part of ['Processors', 'Memory', 'Disk'])
    await page.getByRole('slider', { name: part }).press('End');
  await comesBackFromTheTopUp(page);
  await choose(page, 'Plans');
  await choose(page, /Shared S2/);
  await page.getByText('In the wallet').waitFor();
  await button(page, 'Buy and create').click();
  await dialog(page).getByText('It is shown only once').waitFor();
  await button(page, 'I have saved it').click();
  await page.waitForURL('**/machines/vm_*');
  await page.getByText('Running', { exact: true }).waitFor();
}

/** The missing amount is shown; after a detour to the top-up page, the same purchase continues. */
async function comesBackFromTheTopUp(page: Page): Promise<void> {
  const purchase = () => page.evaluate("JSON.parse(sessionStorage.getItem('vauban.new-machine')).purchase");
  const before = await purchase();
  await page.getByText('Your wallet is').waitFor();
  await page.getByRole('complementary', { name: 'Order' }).getByRole('link', { name: 'Top up' }).click();
  await page.waitForURL('**/panel/billing/top-up?**');
  const query = new URL(page.url()).searchParams;
  assert.equal(query.get('next'), '/machines/new');
  assert.ok(Number(query.get('amount')) > 0);
  await page.goto(new URL(`/panel${query.get('next')}`, page.url()).href);
  await page.getByText('Your wallet is').waitFor();
  assert.equal(await page.getByLabel('Hostname').inputValue(), 'web-1');
  assert.equal(await purchase(), before);
}

/** Types a command in the page's terminal and waits for its output. */
async function types(page: Page, command: string, prints: RegExp): Promise<void> {
  await printed(page).getByText('$').first().waitFor();
  await page.frameLocator('iframe').locator('textarea').focus();
  await page.keyboard.type(`${command}\n`);
  await printed(page).getByText(prints).first().waitFor();
}

async function shares({ page, browser, service }: Panel): Promise<void> {
  await button(page, 'Share terminal').click();
  await dialog(page).getByLabel('Purpose').fill('Support');
  await button(page, 'Create link').click();
  const url = (await dialog(page).locator('pre').textContent()) ?? '';
  assert.ok(url.startsWith(service.baseUrl), 'a link to this service');
  await button(page, 'I have copied it').click();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(url);
  await stranger.getByText('Read only').waitFor();
  await page.getByRole('cell', { name: '1 / 10' }).waitFor();
  await button(page, 'Revoke').click();
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await stranger.getByText('This link no longer works').waitFor();
  await stranger.context().close();
}

async function opensAPort(page: Page): Promise<void> {
  await tab(page, 'Network').click();
  await page.getByText('Nothing', { exact: true }).waitFor();
  await button(page, 'Add rule').click();
  await button(page, 'HTTPS').click();
  const changes = page.getByRole('region', { name: 'Effect of this rule' });
  assert.match(await changes.innerText(), /Opens\s+TCP 443 from everywhere/);
  await dialog(page).getByLabel('From').fill('203.0.113.7/24');
  await button(page, 'Save rule').click();
  // The problem with one of the networks is shown at their field.
  await dialog(page).getByText('has bits set to the right of its prefix').waitFor();
  await dialog(page).getByLabel('From').fill('203.0.113.0/24');
  assert.match(await changes.innerText(), /Opens\s+TCP 443 from 203\.0\.113\.0\/24/);
  await button(page, 'Save rule').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'Active' }).waitFor();
  await page.getByText('Everything else is dropped.').waitFor();
}

/** Changes the disk after a snapshot, restores the snapshot and checks that the change is gone. */
async function restores(page: Page): Promise<void> {
  await tab(page, 'Snapshots').click();
  await button(page, 'Take snapshot').click();
  await dialog(page).getByLabel('Name').fill('before');
  await dialog(page).getByRole('button', { name: 'Take snapshot' }).click();
  await page.getByRole('row', { name: /before.*Ready/ }).waitFor();
  await tab(page, 'Terminal').click();
  await types(page, 'touch changed && ls', /^changed\s*$/);
  await tab(page, 'Snapshots').click();
  await button(page, 'Restore').click();
  await dialog(page).getByText('Everything written since then is lost').waitFor();
  await dialog(page).getByRole('textbox').fill('web-1');
  await dialog(page).getByRole('button', { name: 'Restore' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('strong').filter({ hasText: 'Restoring a snapshot' }).waitFor();
  // Long-running work survives a reload.
  await page.reload();
  await page.getByText('Restoring a snapshot').first().waitFor({ state: 'detached' });
  await page.getByText('Running', { exact: true }).waitFor();
  await tab(page, 'Terminal').click();
  await types(page, 'ls changed', /No such file/);
}

/** Uses the built-in runbook, with approval required for every command. */
async function asksTheAgent(page: Page): Promise<void> {
  await tab(page, 'Agent').click();
  await page.getByLabel('What should it do?').fill('restart nginx');
  await page.getByLabel('Approval').selectOption('all');
  await button(page, 'Run').click();
  await button(page, 'Run command').click();
  await page.getByText('Done', { exact: true }).waitFor();
  // The request is still there after a reload.
  await page.getByText('systemctl is-active nginx').waitFor();
  await page.reload();
  await button(page, 'Run command').click();
  await page.getByText('nginx was restarted and is active.').waitFor();
  await button(page, 'New conversation').click();
  await page.getByText('No conversation yet').waitFor();
}

async function resizes(page: Page): Promise<void> {
  await tab(page, 'Change plan').click();
  await page
    .getByRole('row', { name: /Shared S4/ })
    .getByRole('button', { name: 'Choose' })
    .click();
  await dialog(page).getByText('Due now').waitFor();
  await dialog(page).getByText('Restart the machine').click();
  await button(page, 'Pay and change').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Shared S4 current/ }).waitFor();
}

async function deletes(page: Page): Promise<void> {
  await tab(page, 'Settings').click();
  await button(page, 'Delete this machine').click();
  await dialog(page).getByText('You lose').waitFor();
  await dialog(page).getByText('You get back').waitFor();
  const sure = button(page, 'Delete permanently');
  assert.ok(await sure.isDisabled());
  await dialog(page).getByRole('textbox').fill('web-1');
  await sure.click();
  await page
    .getByRole('status')
    .getByText(/was refunded to the wallet/)
    .waitFor();
  await page.waitForURL('**/panel/machines');
}

/** Serves 10,000 machines as the list, in pages like the service's. */
async function scrolls({ page }: Panel): Promise<void> {
  const COUNT = 10_000;
  await page.route('**/panel/api/v1/vm?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get('cursor') ?? 0);
    const limit = Number(query.get('limit') ?? 50);
    const data = Array.from({ length: Math.min(limit, COUNT - from) }, (_, i) => machineNumber(from + i));
    const next = from + limit < COUNT ? `${from + limit}` : null;
    await route.fulfill({
      json: { data, pagination: { limit, next_cursor: next, has_more: next !== null } },
    });
  });
  await page.reload();
  await page.getByText('10000', { exact: true }).first().waitFor();
  const rows = () => page.locator('tbody tr').count();
  assert.ok((await rows()) < 200);
  await page.getByLabel('Search by name').first().fill('web-9999');
  await page.getByRole('link', { name: 'web-9999' }).waitFor();
  await page.getByLabel('Search by name').first().fill('');
  await page.keyboard.press('Tab');
  await page.evaluate(
    '(document.scrollingElement.scrollTop = 1e9, document.querySelector("main").scrollTop = 1e9)',
  );
  await page.getByRole('link', { name: 'web-9999' }).waitFor();
  assert.ok((await rows()) < 200);
  await page.unroute('**/panel/api/v1/vm?*');
}

const machineNumber = (n: number) => ({
  id: `vm_${n}`,
  hostname: `web-${n}`,
  notes: null,
  status: 'stopped',
  wanted_power: 'off',
  locked: false,
  active_job: null,
  last_job: null,
  plan: 's1',
  is_custom: false,
  vcpu: 1,
  ram_mb: 1024,
  disk_gb: 20,
  bandwidth_gb: null,
  template: 'debian-12',
  region: 'eu-central',
  zone: 'eu-central-a',
  ipv4: `10.1.${n >> 8}.${n & 255}`,
  ipv6: null,
  price_monthly_minor: 399,
  price_hourly: '0.006',
  billing_mode: 'monthly',
  next_billing_mode: 'monthly',
  currency: 'EUR',
  auto_renew: true,
  renewal_priority: 100,
  billing_period_start_at: '2026-01-01T00:00:00.000Z',
  billing_period_end_at: '2026-02-01T00:00:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});
