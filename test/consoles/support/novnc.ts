import { join } from 'node:path';
import type { Page } from 'playwright-core';

const NOVNC = join(import.meta.dirname, '../../../node_modules/@novnc/novnc');
const VNC_PAGE = `<!doctype html><div id="screen" style="width:800px;height:600px"></div><script type="module">
  import RFB from '/novnc/core/rfb.js';
  const { url, ticket } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  window.rfb = new RFB(document.getElementById('screen'), url, { wsProtocols: ['binary', ticket] });
  rfb.addEventListener('connect', () => { document.title = 'connected'; });
  rfb.addEventListener('disconnect', () => { document.title = 'disconnected'; });
</script>`;

/** Serves the customer's own page in place of a panel. It is on the service's host because `Origin` is checked. */
async function serveNovnc(page: Page, baseUrl: string): Promise<void> {
  await page.route(`${baseUrl}/novnc/**`, (route) => {
    const path = new URL(route.request().url()).pathname.replace('/novnc/', '');
    if (path === 'page') return route.fulfill({ contentType: 'text/html', body: VNC_PAGE });
    return route.fulfill({ path: join(NOVNC, path), contentType: 'text/javascript' });
  });
}

/** Opens a guest's screen in noVNC with the ticket from `GET console`. */
export async function openNovnc(
  page: Page,
  baseUrl: string,
  { ws_url: url, ticket }: { ws_url: string; ticket: string },
): Promise<void> {
  await serveNovnc(page, baseUrl);
  await page.goto(`${baseUrl}/novnc/page#${new URLSearchParams({ url, ticket })}`);
  await page.waitForFunction(() => document.title === 'connected');
}

/** Returns the number of lit colour components of the screen, and a sum that any change affects. */
export const pixelsOf = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('canvas')!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const lit = data.filter((value, at) => at % 4 < 3 && value > 100).length;
    return { lit, sum: data.reduce((sum, value, at) => (sum + value * at) % 1_000_003, 0) };
  });
