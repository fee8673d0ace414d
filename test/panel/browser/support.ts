import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../../consoles/support/browser.ts';
import { type Service, startService } from '../../support/service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

export async function openPanel(t: TestContext): Promise<Panel> {
  const service = await startService(t, {
    env: {
      VAUBAN_RATE_LIMIT_KEY: '100000',
      VAUBAN_RATE_LIMIT_ACCOUNT: '100000',
      VAUBAN_RATE_LIMIT_IP: '100000',
    },
  });
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(Number(process.env.PANEL_TEST_TIMEOUT ?? 120_000));
  const complaints: string[] = [];
  context.on('console', (message) => {
    // A refusal that the page shows is no mistake of the page.
    const isRefusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal)
      complaints.push(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  const page = await context.newPage();
  const link = /"demo_sign_in":"([^"]+)"/.exec(service.output())?.[1];
  assert.ok(link, 'a first start prints a link to sign in by');
  await page.goto(new URL(link, service.baseUrl).href);
  await page.waitForURL('**/panel/machines');
  return { service, browser, context, page, complaints };
}

/** What axe finds wrong with a page, with the elements. */
export async function complaintsOfAxe(page: Page): Promise<{ id: string; nodes: string[] }[]> {
  // The policy forbids scripts that are text; the debugger's own may run.
  await page.evaluate(AXE);
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary.slice(0, 200)) })))',
  );
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
        assert.deepEqual(await complaintsOfAxe(page), [], where);
        const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok((tooWide as number) <= 0, `${where}: wider than the window by ${tooWide} px`);
      }
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}
