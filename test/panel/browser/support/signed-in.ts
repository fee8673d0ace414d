import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../../../consoles/support/browser.ts';
import { type Service, startService } from '../../../support/service.ts';
import { complaintsOf } from './complaints.ts';
import { buildIfChanged, demoLink, violations } from './panel-page.ts';

/** A desk and the narrowest telephone. */
const WIDTHS = [1440, 320];

/** A service with its demo account, and a browser in which its person is signed in. */
export interface Panel {
  service: Service;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** What the pages wrote to the console as errors, and what their policies refused. */
  complaints: string[];
}

/** Far beyond what any step takes on any machine: what is waited for so long will not come. */
const TIMEOUT_MS = 120_000;

export async function openPanel(t: TestContext): Promise<Panel> {
  await buildIfChanged();
  const service = await startService(t, {
    env: {
      VAUBAN_RATE_LIMIT_KEY: '100000',
      VAUBAN_RATE_LIMIT_ACCOUNT: '100000',
      VAUBAN_RATE_LIMIT_IP: '100000',
    },
  });
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const complaints = complaintsOf(context);
  const page = await context.newPage();
  await page.goto(service.baseUrl + demoLink(service));
  await page.waitForURL('**/panel/machines');
  return { service, browser, context, page, complaints };
}

/** How often a page that is still settling is looked at again, and how long after. */
const LOOKS = 20;
const LOOK_EVERY_MS = 100;

/** What is wrong with a page once it has settled: what is read may still be on its way in. */
async function lasting(page: Page): Promise<string[]> {
  for (let look = 1; ; look++) {
    const found = await violations(page);
    const tooWide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (tooWide > 0) found.push(`wider than the window by ${tooWide} px`);
    if (found.length === 0 || look === LOOKS) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Looks at a page of the panel in both themes, wide and narrow: nothing that axe finds, nothing wider than the window. */
export async function lookAt(
  panel: Panel,
  paths: readonly string[],
  ready: (page: Page) => Promise<unknown>,
) {
  const { page } = panel;
  for (const path of paths) {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.goto(`${panel.service.baseUrl}/panel${path}`);
      await ready(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const where = `${path}, ${theme}, ${width} px`;
        assert.deepEqual(await lasting(page), [], where);
      }
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}
