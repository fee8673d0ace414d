import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../../consoles/support/browser.ts';
import { startService } from '../../support/service.ts';
import { VERSION } from '../../support/source.ts';
import { asked } from './story/stage.ts';
import { complaintsOf, hostsOf } from './support/complaints.ts';
import { looksRight } from './support/looks.ts';
import { ASSETS, buildIfChanged, demoLink, signInWithLink } from './support/panel-page.ts';
import { routePages } from './support/routes.ts';
import { openWorld, pathOf, visit } from './support/world.ts';

/** The limit for scripts that a browser loads before the first page is usable, in compressed bytes. */
const MOST_SCRIPT = 150_000;

test('every page, in both themes, wide and narrow, by the keyboard too', { skip: NO_BROWSER }, async (t) => {
  const world = await openWorld(t);
  const { browser, page, baseUrl, complaints, hosts } = world;
  const pages = await routePages();
  const stranger = await browser.newContext();
  const [strange, strangers] = [complaintsOf(stranger), hostsOf(stranger)];
  const outside = await stranger.newPage();

  await t.test('before the sign-in', async () => {
    for (const { pattern } of pages.filter(({ isInside }) => !isInside)) {
      await looksRight(outside, `${baseUrl}/panel${pattern}`, pattern);
      assert.deepEqual(strange, [], pattern);
    }
    await looksRight(outside, world.invitationUrl, 'an invitation');
    await looksRight(outside, world.shareUrl, 'a shared terminal');
    assert.deepEqual(strange, []);
  });

  await t.test('after it', async () => {
    for (const { pattern } of pages.filter(({ isInside }) => isInside)) {
      await looksRight(page, `${baseUrl}/panel${pathOf(pattern, world)}`, pattern);
      assert.ok(await page.getByText(`Version ${VERSION}`, { exact: true }).isVisible(), pattern);
      assert.deepEqual(complaints, [], pattern);
    }
  });

  await t.test('with a debt', async () => {
    await visit(page, `${baseUrl}/panel/billing`);
    await world.dispute(world.idOf['/billing/top-ups/$id']!, 900_00n);
    const debt = await asked<{ claimed_minor: number; shortfall_minor: number }>(page, '/debt');
    // The wallet's balance is taken, and the rest becomes debt.
    assert.ok(debt.claimed_minor > 0 && debt.claimed_minor < 900_00, `${debt.claimed_minor}`);
    assert.equal(debt.shortfall_minor, debt.claimed_minor);
    const owed = (debt.claimed_minor / 100).toFixed(2);
    await page.getByText(`The account owes €${owed}`, { exact: true }).waitFor();
    await looksRight(page, `${baseUrl}/panel/billing`, 'a debt');
    const amount = page.getByLabel('Amount');
    await page.getByRole('link', { name: 'Top up', exact: true }).last().click();
    await amount.waitFor();
    assert.equal(await amount.inputValue(), owed);
    assert.deepEqual(complaints, []);
  });

  const own = [new URL(baseUrl).host];
  assert.deepEqual([[...hosts], [...strangers]], [own, own], 'nothing comes from elsewhere');
});

test('little script comes before the first page', { skip: NO_BROWSER }, async (t) => {
  await buildIfChanged();
  const service = await startService(t);
  const browser = await startBrowser(t);
  const signedIn = await browser.newContext();
  const page = await signedIn.newPage();
  await signInWithLink(page, service.baseUrl + demoLink(service));
  await page.waitForURL('**/machines');
  for (const path of ['/sign-in', '/machines']) {
    const fresh = await browser.newContext();
    if (path === '/machines') await fresh.addCookies(await signedIn.cookies());
    const scripts: string[] = [];
    fresh.on('request', (request) => {
      scripts.push(...(/(?<=\/panel\/assets\/)[\w.-]+\.js$/.exec(request.url()) ?? []));
    });
    await visit(await fresh.newPage(), `${service.baseUrl}/panel${path}`);
    const bytes = scripts.reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.gz`)).size, 0);
    assert.ok(bytes > 0 && bytes <= MOST_SCRIPT, `${path}: ${bytes} bytes of ${scripts.join(' ')}`);
  }
});

test("the panel's files are cached permanently, compressed, and no other file is served", async (t) => {
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

  // The page is sent in the chosen theme and language.
  const sent = async (cookie: string) => (await fetch(`${baseUrl}/panel/`, { headers: { cookie } })).text();
  assert.match(
    await sent('a=b; vauban_theme=dark; vauban_language=de'),
    /<html lang="de" data-theme="dark">/,
  );
  assert.match(await sent('vauban_theme=x"><script>; vauban_language=<b>'), /<html lang="en">/);
});
