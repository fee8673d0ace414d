import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, newPage, startBrowser } from '../consoles/support/browser.ts';
import { COLOURS, violations } from '../support/axe.ts';
import { startService } from '../support/service.ts';

/** One of each kind of page. */
const PAGES = ['', 'guides/first-vm', 'guides/errors', 'reference/basics', 'reference/createVm'];
const MORE = ['reference/runAgent', 'reference/listVms', 'reference/errors'];
/** Rules of axe whose result depends on the width. */
const NARROW = ['target-size', 'scrollable-region-focusable', 'color-contrast'];
/** Directory for screenshots of the pages, if set. */
const { VAUBAN_TEST_SCREENSHOTS: PICTURES } = process.env;

test('the documentation', async (t) => {
  const { baseUrl } = await startService(t);
  await t.test('sent small, once, and with a strict policy', () => sending(baseUrl));
  await t.test('in a browser', { skip: NO_BROWSER }, (t) => inBrowser(t, baseUrl));
});

async function inBrowser(t: TestContext, baseUrl: string): Promise<void> {
  const browser = await startBrowser(t);
  const { page, hosts, complaints } = await newPage(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

  await t.test('whole and usable by everybody, wide and narrow, light and dark', async () => {
    for (const path of PICTURES ? [...PAGES, ...MORE] : PAGES) await looksRight(page, baseUrl, path);
    assert.deepEqual(complaints, []);
    assert.deepEqual([...hosts], [new URL(baseUrl).host]);
  });
  await t.test('an old link leads to the page of its operation', async () => {
    await page.goto(`${baseUrl}/docs#operation-createVm`);
    await page.waitForURL(`${baseUrl}/docs/reference/createVm`);
  });
  await t.test('a tab that was chosen stays chosen, by keys too', async () => {
    await page.goto(`${baseUrl}/docs/reference/createVm`);
    const chosen = () => page.locator('[role=tab][aria-selected=true]').textContent();
    assert.equal(await chosen(), 'curl');
    await page.locator('[role=tab]', { hasText: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await chosen(), 'vauban');
    assert.match(
      String(await page.locator('[role=tabpanel]:visible').textContent()),
      /vauban vm create web-1/,
    );
    await page.goto(`${baseUrl}/docs/reference/getVm`);
    assert.equal(await chosen(), 'vauban');
  });
  await t.test('the search leads to the chosen result', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('snapshot');
    await page.locator('#found [role=option]').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type(' create');
    await page.locator('#found [aria-selected=true]', { hasText: 'Create a snapshot' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${baseUrl}/docs/reference/createSnapshot`);
  });
  await copying(t, page, baseUrl);
}

/** Responses must be small, cacheable, and have a strict policy. */
async function sending(baseUrl: string): Promise<void> {
  const moved = await fetch(`${baseUrl}/docs`, { redirect: 'manual' });
  assert.equal(moved.headers.get('location'), '/docs/');
  const texts = ['/llms.txt', '/llms-full.txt', '/docs/vauban.postman_collection.json'];
  for (const path of ['/docs/', '/docs/reference/createVm', ...texts]) {
    for (const encoding of ['gzip', 'br']) {
      const headers = { 'accept-encoding': encoding };
      const reply = await fetch(baseUrl + path, { headers });
      assert.equal(reply.status, 200, path);
      assert.equal(reply.headers.get('content-encoding'), encoding);
      const body = await reply.text();
      assert.ok(Number(reply.headers.get('content-length')) * 2 < body.length, `${path} as ${encoding}`);
      const etag = reply.headers.get('etag')!;
      const again = await fetch(baseUrl + path, { headers: { ...headers, 'if-none-match': etag } });
      assert.equal(again.status, 304);
      assert.equal(await again.text(), '');
    }
  }
  const page = await fetch(`${baseUrl}/docs/`);
  const policy = page.headers.get('content-security-policy')!;
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|nonce/);
  const [asset] = /\/docs\/assets\/docs-[\w-]+\.js/.exec(await page.text())!;
  assert.match((await fetch(baseUrl + asset)).headers.get('cache-control')!, /immutable/);
  for (const path of [
    'nowhere',
    'reference/nowhere',
    'guides/..%2fllms',
    'assets/..%2findex.html',
    'index.html',
  ])
    assert.equal((await fetch(`${baseUrl}/docs/${path}`)).status, 404, path);
}

async function copying(t: TestContext, page: Page, baseUrl: string): Promise<void> {
  await t.test('the copied text is the command to type, for the current service', async () => {
    await page.goto(`${baseUrl}/docs/guides/first-vm`);
    await page.locator('.copyable').first().hover();
    await page.locator('.copy').first().click();
    await page.locator('.copy', { hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `export VAUBAN_URL=${baseUrl}\nexport VAUBAN_API_KEY=vk_…`);
  });
}

async function looksRight(page: Page, baseUrl: string, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`${baseUrl}/docs/${path}`);
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 900 });
    const where = `${path} at ${width} px`;
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, where);
    assert.deepEqual(await violations(page, width === 1280 ? {} : { only: NARROW }), [], where);
    await picture(page, path, `light-${width}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await violations(page, { only: COLOURS }), [], `${path} dark`);
  if (!PICTURES) return;
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await picture(page, path, `dark-${width}`);
  }
}

async function picture(page: Page, path: string, how: string): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${path.replace('/', '-') || 'home'}-${how}.png`) });
}
