import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../../consoles/support/browser.ts';
import { startService } from '../../support/service.ts';
import { ASSETS, buildIfChanged, demoLink, newPanelPage, violations } from './support/panel-page.ts';

/** What a browser loads of scripts before the first page can be used, compressed. */
const MOST_SCRIPT = 150_000;

/** Pages for everybody. */
const FRONT = ['/sign-in', '/sign-up', '/password-reset', '/reset-password', '/invitation', '/prices'];
/** Pages of who has signed in, besides those of machines and the shield. */
const INSIDE = [
  '/billing',
  '/billing/invoices',
  '/billing/payments',
  '/billing/orders',
  '/billing/statement',
  '/billing/usage',
  '/billing/details',
  '/billing/top-up',
  '/account',
  '/account/security',
  '/account/close',
  '/keys',
  '/members',
  '/audit',
];

test('every page, in both themes and however narrow', { skip: NO_BROWSER }, async (t) => {
  await buildIfChanged();
  const service = await startService(t);
  const browser = await startBrowser(t);
  const opened = await newPanelPage(browser, service);
  const { page, hosts, complaints, visit } = opened;

  /** Wide in one theme and narrow in the other: colours know no width, and boxes no theme. */
  const look = async (path: string) => {
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 320],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const where = `${path}, ${colorScheme}, ${width} pixels`;
      await visit(path);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, where);
      assert.deepEqual(await violations(page), [], where);
      assert.deepEqual(complaints, [], where);
    }
  };

  await t.test('before the sign-in', async () => {
    for (const path of FRONT) await look(path);
  });

  await t.test('little script comes before the first page', async () => {
    await page.goto(service.baseUrl + demoLink(service));
    await page.waitForURL('**/machines');
    for (const path of ['/sign-in', '/machines']) {
      const fresh = await newPanelPage(browser, service);
      if (path === '/machines') await fresh.page.context().addCookies(await page.context().cookies());
      const scripts: string[] = [];
      fresh.page.on('request', (request) => {
        scripts.push(...(/(?<=\/panel\/assets\/)[\w.-]+\.js$/.exec(request.url()) ?? []));
      });
      await fresh.visit(path);
      const bytes = scripts.reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.gz`)).size, 0);
      assert.ok(bytes > 0 && bytes <= MOST_SCRIPT, `${path}: ${bytes} bytes of ${scripts.join(' ')}`);
    }
  });

  await t.test('after it', async () => {
    for (const path of INSIDE) await look(path);
  });

  assert.deepEqual([...hosts], [new URL(service.baseUrl).host], 'nothing comes from elsewhere');
});

test('the files of the panel are served for good, compressed, and nothing else is', async (t) => {
  await buildIfChanged();
  const { baseUrl } = await startService(t);
  const page = await fetch(`${baseUrl}/panel/anything/at/all`, { headers: { accept: 'text/html' } });
  const html = await page.text();
  assert.equal(page.headers.get('cache-control'), 'no-store');
  const policy = page.headers.get('content-security-policy')!;
  const [, nonce] = /'nonce-([^']+)'/.exec(policy)!;
  assert.ok(html.includes(`content="${nonce}"`), 'the page knows the nonce of its policy');
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.match(policy, /frame-ancestors 'none'/);
  const again = await (await fetch(`${baseUrl}/panel/`)).text();
  assert.ok(!again.includes(nonce!), 'a nonce is used once');

  const [script] = /\/panel\/assets\/[\w.-]+\.js/.exec(html)!;
  const sizes: Record<string, number> = {};
  for (const encoding of ['br', 'gzip', 'identity']) {
    const reply = await fetch(baseUrl + script, { headers: { 'accept-encoding': encoding } });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
    assert.match(reply.headers.get('cache-control')!, /immutable/);
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
    sizes[encoding] = Number(reply.headers.get('content-length'));
  }
  assert.ok(sizes.br! < sizes.gzip! && sizes.gzip! * 2 < sizes.identity!, JSON.stringify(sizes));
  for (const name of ['no-such-file-12345678.js', '..%2f..%2fpackage.json', 'index.html', 'x-12345678.map']) {
    const reply = await fetch(`${baseUrl}/panel/assets/${name}`);
    assert.equal(reply.status, 404, name);
  }
  const root = await fetch(baseUrl, { headers: { accept: 'text/html' }, redirect: 'manual' });
  assert.equal(root.headers.get('location'), '/panel/');
  assert.equal((await fetch(baseUrl)).status, 401, 'a program is told that it needs a key');

  // The theme and the language that were chosen are in the page as it is sent.
  const sent = async (cookie: string) => (await fetch(`${baseUrl}/panel/`, { headers: { cookie } })).text();
  assert.match(
    await sent('a=b; vauban_theme=dark; vauban_language=de'),
    /<html lang="de" data-theme="dark">/,
  );
  assert.match(await sent('vauban_theme=x"><script>; vauban_language=<b>'), /<html lang="en">/);
});
