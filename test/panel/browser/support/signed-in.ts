import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../../../consoles/support/browser.ts';
import { type Service, startService } from '../../../support/service.ts';
import { complaintsOf } from './complaints.ts';
import { buildIfChanged, demoLink, signInWithLink } from './panel-page.ts';

/** A service with its demo account, and a browser in which its person is signed in. */
export interface Panel {
  service: Service;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** Console errors of the pages, including policy violations. */
  complaints: string[];
}

/** Far beyond what any step takes on any machine. */
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
  await signInWithLink(page, service.baseUrl + demoLink(service));
  await page.waitForURL('**/panel/machines');
  return { service, browser, context, page, complaints };
}
