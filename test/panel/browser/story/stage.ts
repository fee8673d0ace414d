import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { lockTopUp } from '../../../../server/db/queries/money/top-ups.ts';
import { settleReversal } from '../../../../server/payments/reversals.ts';
import { ENGINE } from '../../../acceptance/support/engine.ts';
import { readyMachines } from '../../../acceptance/support/machines.ts';
import { operate } from '../../../chaos/support/customer.ts';
import { startInProcess } from '../../../chaos/support/in-process.ts';
import { NO_BROWSER, startBrowser } from '../../../consoles/support/browser.ts';
import { startSmtp } from '../../../mail/support/smtp.ts';
import { freshDatabaseLocation } from '../../../support/database.ts';
import { RunningClock } from '../../../support/running-clock.ts';
import { REPOSITORY } from '../../../support/source.ts';
import { complaintsOf, hostsOf } from '../support/complaints.ts';
import { buildIfChanged } from '../support/panel-page.ts';

/** For the test's `skip`: why it cannot run here. If Chromium is required, so is the program that reads PDFs. */
export const NO_STORY =
  NO_BROWSER ||
  (process.env.VAUBAN_REQUIRE_CHROMIUM !== '1' && spawnSync('pdftotext', ['-v']).error
    ? 'pdftotext is not installed'
    : false);

/** Far beyond what any step takes on any machine; a real guest may boot under emulation. */
export const TIMEOUT_MS = ENGINE === 'qemu' ? 1_200_000 : 180_000;
const LOOK_EVERY_MS = 20;
/** A fixed time, because the test provider declines a refund whose amount happens to end in .13. */
const START = new Date('2026-03-20T09:00:00Z');

export const PERSON = { email: 'ada@example.com', name: 'Ada Żółć', password: 'seven quiet otters' };
export const SELLER = 'Vauban Hosting GmbH';

/** Additional settings of the service. */
export interface StageOptions {
  env?: Record<string, string>;
  clock?: RunningClock;
  // biome-ignore lint/suspicious/noExplicitAny: as it was parsed
  catalog?: (catalog: any) => void;
}

/** A service without any accounts, and a browser that has never seen it. */
export interface Stage {
  t: TestContext;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** With a host name: browsers accept no passkeys for IP addresses. */
  baseUrl: string;
  clock: RunningClock;
  complaints: string[];
  hosts: Set<string>;
  /** Waits for a mail and returns its link to a page of the panel. */
  mailedLink(path: string, to?: string): Promise<string>;
  /** Sends a request to the operator's socket. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  operate(path: string, body: object): Promise<any>;
  /** Simulates a provider's notification of a disputed payment. */
  dispute(topUpId: string, amountMinor: bigint): Promise<void>;
}

export async function openStage(
  t: TestContext,
  { env, clock = new RunningClock(START), catalog }: StageOptions = {},
): Promise<Stage> {
  await buildIfChanged();
  const smtp = await startSmtp(t);
  const location = await freshDatabaseLocation(t);
  const { settings } = await readyMachines(t, location);
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const service = await startInProcess(t, {
    clock,
    location,
    env: {
      ...settings,
      VAUBAN_LISTEN: `127.0.0.1:${port}`,
      VAUBAN_PUBLIC_URL: baseUrl,
      VAUBAN_CATALOG: await catalogOfSeller(location.env.VAUBAN_DATA_DIR, catalog),
      VAUBAN_MAIL_SMTP_URL: smtp.url,
      VAUBAN_MAIL_FROM: 'Vauban <no-reply@cloud.example>',
      VAUBAN_PAYMENT_PROVIDERS: 'test',
      VAUBAN_RATE_LIMIT_KEY: '100000',
      VAUBAN_RATE_LIMIT_ACCOUNT: '100000',
      VAUBAN_RATE_LIMIT_IP: '100000',
      ...env,
    },
  });
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const complaints = complaintsOf(context);
  const hosts = hostsOf(context);
  const page = await context.newPage();
  return {
    ...{ t, browser, context, page, baseUrl, clock, complaints, hosts },
    operate: (path, body) => operate(service, path, body),
    async dispute(topUpId, amountMinor) {
      const { services } = service.service;
      const takenBack = { kind: 'dispute', providerRef: topUpId, amountMinor, isVoid: false } as const;
      await services.db.transaction(async (tx) =>
        settleReversal(tx, services, (await lockTopUp(tx, topUpId))!, takenBack),
      );
    },
    async mailedLink(path, to = PERSON.email) {
      for (;;) {
        const links = smtp.received
          .filter(({ envelope }) => envelope.to.includes(to))
          .flatMap(({ mail }) => mail.text!.match(new RegExp(`${baseUrl}/panel/${path}#\\S+`)) ?? []);
        if (links.length > 0) return links.at(-1)!;
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}

/** Writes the shipped catalog with a seller; without one, invoices have no documents. */
async function catalogOfSeller(
  directory: string,
  change: NonNullable<StageOptions['catalog']> = () => {},
): Promise<string> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  const seller = { name: SELLER, street: 'Münzstraße 1', city: 'Köln', postcode: '50667', country: 'DE' };
  Object.assign(catalog, { tax_rate: '0.19', seller: { ...seller, vat_id: 'DE136695976' } });
  change(catalog);
  const path = join(directory, 'catalog.yaml');
  await writeFile(path, stringify(catalog));
  return path;
}

/** Returns an unused port: the address in mails must be known before the service listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
export const dialog = (page: Page) => page.getByRole('dialog');
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: true });
export const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of this machine' }).getByRole('link', { name, exact: true });
export const entry = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

/** Sends a request that the page itself could send, with its session. */
export function asked<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(async (url) => {
    const reply = await fetch(url);
    return (await reply.json()).data;
  }, `/panel/api${path}`);
}

/** Returns the balance in minor units. */
export async function balance({ page }: Stage): Promise<number> {
  const { available_minor } = await asked<{ available_minor: number }>(page, '/v1/billing/wallet');
  assert.ok(Number.isSafeInteger(available_minor));
  return available_minor;
}
