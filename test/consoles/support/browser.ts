import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { defer } from '../../support/cleanup.ts';

/** Flags that make a headless browser connect only to the page's host. */
export const ARGUMENTS = [
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page that a test serves has no address, which Chromium treats as the internet.
  '--disable-features=LocalNetworkAccessChecks',
];

export const chromiumPath = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name)))
  .find((path) => existsSync(path));

/** For the test's `skip`: why it cannot run here. With VAUBAN_REQUIRE_CHROMIUM=1 it runs anyway, and fails. */
export const NO_BROWSER =
  chromiumPath || process.env.VAUBAN_REQUIRE_CHROMIUM === '1' ? false : 'Chromium is not installed';

export async function startBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumPath ?? 'chromium', args: ARGUMENTS });
  defer(t, () => browser.close());
  return browser;
}

/** Opens a page in a fresh profile, and collects its requested hosts and its complaints. */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; hosts: Set<string>; complaints: string[] }> {
  const page = await (await browser.newContext(options)).newPage();
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  page.on('websocket', (socket) => hosts.add(new URL(socket.url()).host));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  return { page, hosts, complaints };
}
