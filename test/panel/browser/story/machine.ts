import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { choose } from '../support/choose.ts';
import { asked, balance, button, dialog, entry, heading, type Stage, TIMEOUT_MS, tab } from './stage.ts';

const HOSTNAME = 'web-1';

/** The lines on the terminal's screen. */
const printed = (page: Page) => page.frameLocator('iframe').locator('.xterm-rows');

/** Types a command in the page's terminal and waits for its output. */
async function types(page: Page, command: string, prints: RegExp): Promise<void> {
  await connects(page);
  await page.frameLocator('iframe').locator('textarea').focus();
  await page.keyboard.type(`${command}\n`);
  await printed(page).getByText(prints).first().waitFor();
}

/** Waits for the shell's prompt; reconnects while the machine is booting. */
async function connects(page: Page): Promise<void> {
  const prompt = printed(page)
    .getByText(/[$#]\s*$/)
    .first();
  const again = page.frameLocator('iframe').getByRole('button', { name: 'Connect again' });
  for (;;) {
    await prompt.or(again).first().waitFor();
    if (await prompt.isVisible()) return;
    await page.waitForTimeout(1_000);
    await again.click();
  }
}

/** Buys a machine, watches until it has booted and returns its id. */
export async function buysMachine(stage: Stage): Promise<string> {
  const { page } = stage;
  const before = await balance(stage);
  await entry(page, 'Machines').click();
  await page.getByRole('link', { name: 'Create machine' }).first().click();
  await page.getByLabel('Hostname').fill(HOSTNAME);
  await choose(page, /Shared S1/);
  await page.getByText('In the wallet').waitFor();
  await button(page, 'Buy and create').click();
  await dialog(page).getByText('It is shown only once').waitFor();
  await button(page, 'I have saved it').click();
  await page.waitForURL('**/machines/vm_*');
  await heading(page, HOSTNAME).waitFor();
  await page.getByText('Running', { exact: true }).waitFor();
  const id = /vm_\w+/.exec(page.url())![0];
  await tab(page, 'Activity').click();
  await page.getByText('vm.created').first().waitFor();
  assert.equal(before - (await balance(stage)), 3_99);
  return id;
}

export async function opensTerminal({ page }: Stage): Promise<void> {
  await tab(page, 'Terminal').click();
  await types(page, 'cat /etc/hostname', /^web-1\s*$/);
}

export async function opensPort({ page }: Stage): Promise<void> {
  await tab(page, 'Network').click();
  await button(page, 'Add rule').click();
  await button(page, 'HTTPS').click();
  await dialog(page).getByLabel('From').fill('203.0.113.0/24');
  await button(page, 'Save rule').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /443.*203\.0\.113\.0\/24.*Active/ }).waitFor();
}

/** Writes a file after a snapshot, restores the snapshot and checks that the file is gone. */
export async function goesBack({ page }: Stage): Promise<void> {
  await tab(page, 'Snapshots').click();
  await button(page, 'Take snapshot').click();
  await dialog(page).getByLabel('Name').fill('before');
  await dialog(page).getByRole('button', { name: 'Take snapshot' }).click();
  await page.getByRole('row', { name: /before.*Ready/ }).waitFor();
  await tab(page, 'Terminal').click();
  await types(page, 'touch changed && sync && ls', /^changed\s*$/);
  await tab(page, 'Snapshots').click();
  await button(page, 'Restore').click();
  await dialog(page).getByRole('textbox').fill(HOSTNAME);
  await dialog(page).getByRole('button', { name: 'Restore' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await settles(page);
  await tab(page, 'Terminal').click();
  await types(page, 'ls changed', /No such file/);
}

/** Waits until the machine is running and has no job. */
async function settles(page: Page): Promise<void> {
  const id = /vm_\w+/.exec(page.url())![0];
  for (;;) {
    const vm = await asked<{ active_job: object | null; status: string }>(
      page,
      `/v1/vm/${id}?wait_seconds=10`,
    );
    if (!vm.active_job && vm.status === 'running') break;
  }
  await page.getByText('Running', { exact: true }).first().waitFor();
}

export async function resizes({ page }: Stage): Promise<void> {
  await tab(page, 'Change plan').click();
  const choice = page.getByRole('row', { name: /Shared S2/ });
  await choice.getByRole('button', { name: 'Choose' }).click();
  await dialog(page).getByText('Due now').waitFor();
  await dialog(page).getByText('Restart the machine').click();
  await button(page, 'Pay and change').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Shared S2 current/ }).waitFor();
  await settles(page);
  await tab(page, 'Terminal').click();
  await types(page, 'nproc', /^2\s*$/);
}

/** Someone without an account watches the terminal through a link until it is revoked. */
export async function sharesTerminal({ page, browser, baseUrl }: Stage): Promise<void> {
  await button(page, 'Share terminal').click();
  await choose(page, 'Watch and type', dialog(page));
  await button(page, 'Create link').click();
  const url = (await dialog(page).locator('pre').textContent()) ?? '';
  assert.ok(url.startsWith(baseUrl), 'a link to this service');
  await button(page, 'I have copied it').click();
  const elsewhere = await browser.newContext();
  elsewhere.setDefaultTimeout(TIMEOUT_MS);
  const stranger = await elsewhere.newPage();
  await stranger.goto(url);
  const lines = stranger.locator('.xterm-rows');
  await lines
    .getByText(/[$#]\s*$/)
    .first()
    .waitFor();
  await stranger.keyboard.type('cat /etc/hostname\n');
  await lines
    .getByText(/^web-1\s*$/)
    .first()
    .waitFor();
  await button(page, 'Revoke').click();
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await stranger.getByText('This link no longer works').waitFor();
  await elsewhere.close();
}

/** Deletes the machine; the announced refund must be in the wallet. */
export async function deletesMachine(stage: Stage, id: string): Promise<void> {
  const { page, baseUrl } = stage;
  const before = await balance(stage);
  await page.goto(`${baseUrl}/panel/machines/${id}/settings`);
  await button(page, 'Delete this machine').click();
  await dialog(page).getByText('You get back').waitFor();
  await dialog(page).getByRole('textbox').fill(HOSTNAME);
  await button(page, 'Delete permanently').click();
  const said = await page
    .getByRole('status')
    .getByText(/was refunded to the wallet/)
    .innerText();
  await page.waitForURL('**/panel/machines');
  const refund = Math.round(Number(said.match(/\d+\.\d\d/)![0]) * 100);
  assert.ok(refund > 0);
  assert.equal((await balance(stage)) - before, refund);
  while ((await asked<unknown[]>(page, '/v1/vm')).length > 0) await page.waitForTimeout(50);
}
