import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Customer, newCustomer } from '../chaos/support/customer.ts';
import { Viewer } from '../compute/simulator-inside/rfb-client.ts';
import { startService } from '../support/service.ts';
import { NO_BROWSER, newPage, startBrowser } from './support/browser.ts';
import { openNovnc, pixelsOf } from './support/novnc.ts';
import { bytesOf, open } from './support/socket.ts';

async function screenOf(t: TestContext, customer: Customer, vmId: string): Promise<Viewer> {
  const { ws_url, ticket } = await customer.ask('GET', `/v1/vm/${vmId}/console`);
  const viewer = new Viewer(bytesOf(await open(t, ws_url, { protocols: ['binary', ticket] })));
  await viewer.open();
  viewer.ask(false);
  await viewer.update();
  return viewer;
}

test('in a browser', { skip: NO_BROWSER }, async (t) => {
  const service = await startService(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' } });
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
  const status = (page: Page) => page.locator('#status');
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

  await t.test('the share page is a live terminal, from our host alone', async () => {
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
    await second.page.reload();
    await status(second.page).getByText('This link is not valid').waitFor();
  });

  await t.test('who may only read cannot type, whatever is sent, and is cut by a revocation', async () => {
    const { id, url } = await customer.ask('POST', shares, { mode: 'read_only' });
    const { page } = await newPage(browser);
    await page.goto(url);
    await rows(page).getByText('debian@web').first().waitFor();
    await page.keyboard.type('touch typed\n');
    // A frame forged by hand, and the pong that proves that it was read.
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
      // Not understood: it ends the socket, after all that was sent before it was read.
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
    await status(page).getByText('Access was revoked').waitFor();
  });
});
