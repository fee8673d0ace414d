import { once } from 'node:events';
import { statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { ARGUMENTS, chromiumPath } from '../../test/consoles/support/browser.ts';
import { exchange } from '../../test/operator/support.ts';
import { makePlace, type Place, type Section } from '../bench.ts';
import { residentMib, type Server, startService } from '../process.ts';
import { atMost, type Claim, leftOut } from '../report.ts';
import { quantile } from '../statistics.ts';

const ASSETS = join(import.meta.dirname, '../../panel/dist/assets');
/** Visits by a browser without any cached files. */
const VISITS = 9;
/** The panel's time until it is usable, as a multiple of that of a page with a single field. */
const MAXIMUM_RATIO = 12;
const MAXIMUM_SCRIPT_KIB = 150;
const STREAMS = 200;
/** The maximum number of open streams per session. */
const STREAMS_PER_SESSION = 6;
const MAXIMUM_STREAM_MIB = 1;
/** Minutes that pass on an open page, by its own clock. */
const IDLE_MINUTES = 30;
const IDLE_PAGES = ['/machines', '/shield', '/billing', '/keys', '/members', '/account/security'];

export const panel: Section = {
  name: 'panel',
  about: `the control panel: its first page, and ${STREAMS} that are open`,
  async run(bench) {
    const place = await makePlace(bench, bench.engines[0]!);
    await using service = await startService(place, { VAUBAN_RATE_LIMIT_IP: '10000000' });
    const address = `http://127.0.0.1:${service.port}`;
    const streams = await openStreams({ service, place, address });
    if (!chromiumPath) return [leftOut('the first page of the panel', 'Chromium is not installed'), streams];
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ARGUMENTS });
    try {
      const cookie = await signIn(place, address);
      return [...(await firstPage(browser, address)), streams, await idlePages(browser, address, cookie)];
    } finally {
      await browser.close();
    }
  },
};

/** Returns the session cookie of the first owner of a new account. */
async function signIn({ VAUBAN_DATA_DIR }: Place, address: string): Promise<string> {
  const operate = async (path: string, body: object) =>
    (await exchange(join(VAUBAN_DATA_DIR, 'vauban.sock'), 'POST', path, body)).json().data;
  const { id } = await operate('/accounts', { name: 'Bench' });
  const { url } = await operate('/people/sign-in-link', { email: `${id}@example.com`, account_id: id });
  const reply = await fetch(`${address}/panel/api/sign-in/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ token: new URL(url).hash.slice(1) }),
  });
  return reply.headers.getSetCookie()[0]!.split(';', 1)[0]!;
}

/** Measures from navigation until there is something to type into, compared with a page that has only that field. */
async function firstPage(browser: Browser, address: string): Promise<Claim[]> {
  const times: Record<'panel' | 'bare', number[]> = { panel: [], bare: [] };
  let bytes = 0;
  for (let visit = 0; visit < VISITS; visit++) {
    for (const which of ['bare', 'panel'] as const) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const scripts: string[] = [];
      page.on('request', (request) => {
        scripts.push(...(/(?<=\/panel\/assets\/)[\w.-]+\.js$/.exec(request.url()) ?? []));
      });
      if (which === 'bare')
        await page.route(`${address}/bare`, (route) =>
          route.fulfill({ contentType: 'text/html', body: '<!doctype html><input aria-label="E-mail">' }),
        );
      const startedAt = performance.now();
      await page.goto(which === 'bare' ? `${address}/bare` : `${address}/panel/sign-in`, {
        waitUntil: 'commit',
      });
      await page.getByLabel('E-mail').fill('ada@example.com');
      times[which].push(performance.now() - startedAt);
      if (which === 'panel')
        bytes = scripts.reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.gz`)).size, 0);
      await context.close();
    }
  }
  const [usable, bare] = [quantile(times.panel, 0.5), quantile(times.bare, 0.5)];
  const detail = `${usable.toFixed(0)} ms and ${bare.toFixed(0)} ms`;
  return [
    atMost(
      'first page of the panel, to its first field ÷ a bare page',
      MAXIMUM_RATIO,
      usable / bare,
      '×',
      detail,
    ),
    atMost('scripts before the first page', MAXIMUM_SCRIPT_KIB, bytes / 1024, 'KiB', 'compressed'),
  ];
}

/** Measures the service's memory for each page that follows changes. */
async function openStreams({
  service,
  place,
  address,
}: {
  service: Server;
  place: Place;
  address: string;
}): Promise<Claim> {
  const cookies: string[] = [];
  for (let n = 0; n < STREAMS; n += STREAMS_PER_SESSION) cookies.push(await signIn(place, address));
  const open: IncomingMessage[] = [];
  const stream = async (n: number) => {
    const headers = { cookie: cookies[Math.floor(n / STREAMS_PER_SESSION)]! };
    const [reply] = await once(get(`${address}/panel/api/changes`, { headers, agent: false }), 'response');
    if (reply.statusCode !== 200) throw new Error(`a stream was answered with ${reply.statusCode}`);
    reply.resume();
    open.push(reply);
  };
  // Opened in advance, so that memory shared by all streams is not counted.
  await stream(0);
  const before = residentMib(service.child.pid!);
  for (let n = 1; n < STREAMS; n++) await stream(n);
  const after = residentMib(service.child.pid!);
  for (const reply of open) reply.destroy();
  const each = Math.max(0, after - before) / (STREAMS - 1);
  const detail = `${before.toFixed(0)} to ${after.toFixed(0)} MiB resident`;
  return atMost(`an open panel among ${STREAMS}`, MAXIMUM_STREAM_MIB, each, 'MiB', detail);
}

/** Counts the requests of open pages within half an hour of their clock while nothing changes. */
async function idlePages(browser: Browser, address: string, cookie: string): Promise<Claim> {
  const asked: string[] = [];
  const [name, value] = cookie.split('=') as [string, string];
  for (const path of IDLE_PAGES) {
    const context = await browser.newContext();
    await context.addCookies([{ name, value, url: address }]);
    await context.clock.install();
    const page = await context.newPage();
    const followed = page.waitForRequest(/\/panel\/api\/changes$/);
    await page.goto(`${address}/panel${path}`, { waitUntil: 'load' });
    await followed;
    await page.locator('h1').first().waitFor();
    await page.locator('main [role="status"][aria-label]').first().waitFor({ state: 'detached' });
    page.on('request', (request) => asked.push(`${path}: ${new URL(request.url()).pathname}`));
    for (let minute = 0; minute < IDLE_MINUTES; minute++) await page.clock.runFor(60_000);
    await context.close();
  }
  const detail = `${IDLE_PAGES.length} pages, ${[...new Set(asked)].slice(0, 3).join(', ') || 'the stream alone'}`;
  return atMost(`requests of idle pages in ${IDLE_MINUTES} minutes`, 0, asked.length, 'requests', detail);
}
