import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, newPage, startBrowser } from '../consoles/support/browser.ts';
import { temporaryDirectory } from '../operator/support.ts';
import { buildIfChanged, demoLink, signInWithLink } from '../panel/browser/support/panel-page.ts';
import { violations } from '../support/axe.ts';
import { type Service, startService } from '../support/service.ts';

const NAME = 'Müller "&" Söhne\\';
const COLOR = '#8a1c5b';
/** Directory for screenshots of the pages, if set. */
const { VAUBAN_TEST_SCREENSHOTS: PICTURES } = process.env;

/** Wider than high, like most logos. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><rect width="60" height="20" fill="#8a1c5b"/></svg>';

const start = (t: TestContext, env: Record<string, string> = {}) =>
  startService(t, { env: { VAUBAN_PANEL_NAME: NAME, VAUBAN_PANEL_BRAND_COLOR: COLOR, ...env } });

async function withLogo(t: TestContext): Promise<Service> {
  const path = join(await temporaryDirectory(t), 'logo.svg');
  writeFileSync(path, LOGO);
  return start(t, { VAUBAN_PANEL_LOGO: path });
}

test('the documentation takes only the theme from the cookie, and has the hoster’s colours and name', async (t) => {
  const { baseUrl } = await start(t);
  const sent = (cookie: string) => fetch(`${baseUrl}/docs/own.css`, { headers: { cookie } });
  const reply = await sent('a=b; vauban_theme=dark');
  assert.match(reply.headers.get('content-type')!, /^text\/css/);
  assert.deepEqual(
    [reply.headers.get('vary'), reply.headers.get('cache-control')],
    ['cookie', 'private, no-cache'],
    'no one else’s theme comes from a cache',
  );
  assert.match(await reply.text(), /--brand-light: #8a1c5b; .*; color-scheme: dark \}$/m);
  for (const cookie of ['', 'vauban_theme=x', 'vauban_theme=dark} * { color: red'])
    assert.doesNotMatch(await (await sent(cookie)).text(), /color-scheme|red/);
});

/** Reads a page's computed styles. */
function looks(page: Page) {
  return page.evaluate(() => {
    const root = getComputedStyle(document.documentElement);
    const name = document.querySelector('.own-name');
    return {
      theme: root.colorScheme,
      ground: root.backgroundColor,
      name: name && getComputedStyle(name, '::before').content,
      brand: root.getPropertyValue('--brand-light').trim(),
    };
  });
}

async function choose(page: Page, baseUrl: string, theme: string): Promise<void> {
  await page.goto(`${baseUrl}/panel/`);
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: theme }).click();
}

test('a theme that is chosen in the panel is that of the documentation', { skip: NO_BROWSER }, async (t) => {
  await buildIfChanged();
  const service = await withLogo(t);
  const { baseUrl } = service;
  const { page, complaints } = await newPage(await startBrowser(t));
  await page.emulateMedia({ colorScheme: 'light' });
  const docs = async () => {
    await page.goto(`${baseUrl}/docs/`);
    return looks(page);
  };
  const light = await docs();
  assert.deepEqual([light.theme, light.brand, light.name], ['light dark', COLOR, JSON.stringify(NAME)]);
  const logo = await page.locator('.home img').boundingBox();
  assert.deepEqual([logo?.width, logo?.height], [72, 24]);
  await signInWithLink(page, baseUrl + demoLink(service));
  await page.waitForURL('**/machines');
  await choose(page, baseUrl, 'Theme: Dark');
  const dark = await docs();
  assert.equal(dark.theme, 'dark');
  assert.notEqual(dark.ground, light.ground);
  assert.deepEqual(await violations(page), []);
  await picture(page, 'dark');
  // In a narrow window, the name must not push the search out of view.
  await page.setViewportSize({ width: 320, height: 900 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await choose(page, baseUrl, 'Theme: Light');
  assert.deepEqual((await docs()).ground, light.ground);
  await picture(page, 'light');
  await choose(page, baseUrl, 'Theme: Same as device');
  assert.equal((await docs()).theme, 'light dark');
  assert.deepEqual(complaints, []);
});

test('the logo is requested if there is one, and once', { skip: NO_BROWSER }, async (t) => {
  await buildIfChanged();
  const { page, complaints } = await newPage(await startBrowser(t));
  const replies: number[] = [];
  page.on('response', (reply) => {
    if (reply.url().endsWith('/panel/logo')) replies.push(reply.status());
  });
  const { baseUrl } = await start(t);
  await page.goto(`${baseUrl}/docs/`, { waitUntil: 'networkidle' });
  assert.ok(await page.locator('.home img').isHidden());
  assert.deepEqual(replies, []);
  const other = await withLogo(t);
  await page.goto(`${other.baseUrl}/docs/`, { waitUntil: 'networkidle' });
  assert.deepEqual(replies, [200]);
  const { headers } = await fetch(`${other.baseUrl}/panel/logo`);
  assert.equal(headers.get('cache-control'), 'no-cache');
  const again = { headers: { 'if-none-match': headers.get('etag')! } };
  assert.equal((await fetch(`${other.baseUrl}/panel/logo`, again)).status, 304);
  assert.deepEqual(complaints, []);
});

async function picture(page: Page, theme: string): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `docs-brand-${theme}.png`) });
}
