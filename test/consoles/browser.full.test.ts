import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Customer, newCustomer } from '../chaos/support/customer.ts';
import { Viewer } from '../compute/simulator-inside/rfb-client.ts';
import { violations } from '../support/axe.ts';
import { defer } from '../support/cleanup.ts';
import { startService } from '../support/service.ts';
import { NO_BROWSER, newPage, startBrowser } from './support/browser.ts';
import { openNovnc, pixelsOf } from './support/novnc.ts';
import { bytesOf, open } from './support/socket.ts';

/** Returns whether the page fits into its window; the terminal scrolls inside. */
const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

async function screenOf(t: TestContext, customer: Customer, vmId: string): Promise<Viewer> {
  const { ws_url, ticket } = await customer.ask('GET', `/v1/vm/${vmId}/console`);
  const viewer = new Viewer(bytesOf(await open(t, ws_url, { protocols: ['binary', ticket] })));
  await viewer.open();
  viewer.ask(false);
  await viewer.update();
  return viewer;
}

/** A hoster's own page that shows the output of a console's WebSocket. */
const OWN_PAGE = `<!doctype html><pre id="said"></pre><script>
  const { url, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const say = (text) => document.getElementById('said').append(text);
  const socket = new WebSocket(url, ['vauban.ssh', token]);
  socket.onmessage = async ({ data }) => say(await data.text());
  socket.onclose = ({ code }) => say('closed ' + code);
</script>`;

async function serveOwnPage(t: TestContext): Promise<string> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(OWN_PAGE),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('in a browser', { skip: NO_BROWSER }, async (t) => {
  const [panel, stranger] = [await serveOwnPage(t), await serveOwnPage(t)];
  const service = await startService(t, {
    env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0', VAUBAN_CONSOLE_ORIGINS: panel },
  });
  const { baseUrl } = service;
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web',
    password: 'correct-horse',
  });
  await customer.settled(vm.id);
  const browser = await startBrowser(t);
  const shares = `/v1/vm/${vm.id}/console-shares`;
  const notice = (page: Page) => page.locator('#notice');
  const rows = (page: Page) => page.locator('.xterm-rows');

  await t.test('noVNC shows the screen through a ticket, and types into it', async () => {
    const { page, complaints } = await newPage(browser);
    await openNovnc(page, baseUrl, await customer.ask('GET', `/v1/vm/${vm.id}/console`));
    const viewer = await screenOf(t, customer, vm.id);
    await viewer.shows(/web login:$/);
    await page.waitForFunction(() => document.querySelector('canvas')!.width > 600);
    const before = await pixelsOf(page);
    assert.ok(before.lit > 100, 'letters are drawn');
    await page.evaluate('rfb.focus()');
    await page.keyboard.type('debian\n');
    await viewer.shows(/Password:$/);
    await page.keyboard.type('correct-horse\n');
    await viewer.shows(/debian@web:~\$$/);
    await page.keyboard.type("echo for''ty-two\n");
    await viewer.shows(/^forty-two$/m);
    while ((await pixelsOf(page)).sum === before.sum) await page.waitForTimeout(20);
    viewer.close();
    assert.deepEqual(complaints, []);
  });

  await t.test(
    "a hoster's own page opens consoles from an allowed origin, and no other page does",
    async () => {
      const open = async (origin: string) => {
        const { ws_url: url, token } = await customer.ask('POST', `/v1/vm/${vm.id}/ssh-token`, {});
        const { page } = await newPage(browser);
        await page.goto(`${origin}/#${new URLSearchParams({ url, token })}`);
        return page.locator('#said');
      };
      await (await open(panel)).getByText('debian@web').waitFor();
      await (await open(stranger)).getByText('closed 1006').waitFor();
    },
  );

  await t.test('the share page is a live terminal, only from our host', async () => {
    const { url } = await customer.ask('POST', shares, { mode: 'read_write' });
    const [first, second] = [await newPage(browser), await newPage(browser)];
    await first.page.goto(url);
    await rows(first.page).getByText('debian@web').first().waitFor();
    await first.page.keyboard.type("echo for''ty-two\n");
    await rows(first.page)
      .getByText(/^forty-two\s*$/)
      .first()
      .waitFor();
    await second.page.goto(url);
    await rows(second.page)
      .getByText(/^forty-two\s*$/)
      .first()
      .waitFor();
    await first.page.locator('#viewers').getByText('2 viewers').waitFor();
    for (const { hosts, complaints } of [first, second]) {
      assert.deepEqual([...hosts], [new URL(baseUrl).host]);
      assert.deepEqual(complaints, []);
    }
    await second.page.goto(`${url.slice(0, -1)}${url.endsWith('x') ? 'y' : 'x'}`);
    await notice(second.page).getByText('This link no longer works').waitFor();
    assert.doesNotMatch(
      await second.page.locator('body').innerText(),
      /web/,
      'nothing of the machine without the secret',
    );
    await second.page.goto(url.split('#')[0]!);
    await notice(second.page).getByText('This link is incomplete').waitFor();
    assert.doesNotMatch(await second.page.locator('body').innerText(), /web/);
  });

  await t.test(
    'the share page names the machine, the label and the end, and says when the link is over',
    async () => {
      const label = 'For the people of support, who look at why the shop was slow';
      const { id, url } = await customer.ask('POST', shares, {
        mode: 'read_only',
        ttl_seconds: 1_500,
        label,
      });
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [320, 1280]) {
          const { page } = await newPage(browser);
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 700 });
          await page.goto(url);
          await rows(page).getByText('debian@web').first().waitFor();
          assert.equal(await page.title(), 'Shared terminal', 'a title is kept in the history');
          assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'web');
          assert.equal(await page.locator('#label').textContent(), label);
          assert.match((await page.locator('#end').textContent())!, /^Ends \w+,? \d\d:\d\d, in 2\d minutes$/);
          await page.getByText('Read only').waitFor();
          assert.deepEqual(await violations(page), []);
          assert.ok(await fits(page), `${width} pixels are enough`);
        }
      }
      const views = browser.contexts().flatMap((context) => context.pages());
      const open = [];
      for (const page of views) if (page.url() === url) open.push(page);
      await customer.ask('DELETE', `${shares}/${id}`);
      for (const page of open) {
        await notice(page).getByText('This link no longer works').waitFor();
        const letters = await page
          .locator('#notice-title')
          .evaluate((title) => getComputedStyle(title).fontSize);
        assert.ok(Number.parseFloat(letters) >= 28, `${letters} is large`);
        assert.equal(await page.locator('#terminal').isVisible(), false);
        assert.deepEqual(await violations(page), []);
        assert.ok(await fits(page));
        await page.close();
      }
      assert.equal(open.length, 4);
    },
  );

  await t.test('a shell that was left is begun again from the page', async () => {
    const { url } = await customer.ask('POST', shares, { mode: 'read_write' });
    const { page } = await newPage(browser);
    await page.goto(url);
    await rows(page).getByText('debian@web').first().waitFor();
    await page.keyboard.type('exit\n');
    await notice(page).getByText('The session has ended').waitFor();
    await page.getByRole('button', { name: 'Open it again' }).click();
    await rows(page).getByText('debian@web').first().waitFor();
    await page.getByText('Connected').waitFor();
    await page.close();
  });

  await t.test('a read-only viewer cannot type, and is disconnected by a revocation', async () => {
    const { id, url } = await customer.ask('POST', shares, { mode: 'read_only' });
    const { page } = await newPage(browser);
    await page.goto(url);
    await rows(page).getByText('debian@web').first().waitFor();
    await page.keyboard.type('touch typed\n');
    // A handcrafted frame, and the pong that proves that it was read.
    await page.evaluate(async () => {
      const socketUrl = `${location.origin.replace('http', 'ws')}${location.pathname}/socket`;
      const socket = new WebSocket(socketUrl, ['vauban.share', location.hash.slice(1)]);
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      socket.send(new TextEncoder().encode('touch forged\n'));
      const ended = new Promise((resolve) => {
        socket.onclose = resolve;
      });
      // An invalid message: it ends the socket after everything sent before it has been read.
      socket.send('done');
      await ended;
    });
    const { ws_url, token } = await customer.ask('POST', `/v1/vm/${vm.id}/ssh-token`, {});
    const terminal = await open(t, ws_url, { protocols: ['vauban.ssh', token] });
    await terminal.says('debian@web');
    terminal.type("ls typed forged || echo nei''ther\n");
    await terminal.says('neither');
    terminal.ws.close();
    await customer.ask('DELETE', `${shares}/${id}`);
    await notice(page).getByText('This link no longer works').waitFor();
  });
});
