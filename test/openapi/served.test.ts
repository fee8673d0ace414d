import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, newPage, startBrowser } from '../consoles/support/browser.ts';
import { COLOURS, violations } from '../support/axe.ts';
import { startService } from '../support/service.ts';

test('the description is small on the wire, cached by its hash, and says where it is served', async (t) => {
  const { baseUrl } = await startService(t);
  const raw = await fetch(`${baseUrl}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
  const text = await raw.text();
  assert.deepEqual(JSON.parse(text).servers, [{ url: baseUrl, description: 'This service.' }]);
  assert.ok(!text.includes('\n'), 'minified');
  assert.equal(raw.headers.get('content-encoding'), null);
  for (const path of ['/openapi.json', '/docs']) {
    for (const encoding of ['gzip', 'br']) {
      const headers = { 'accept-encoding': encoding };
      const reply = await fetch(baseUrl + path, { headers });
      assert.equal(reply.headers.get('content-encoding'), encoding);
      assert.equal(reply.headers.get('vary'), 'accept-encoding');
      const body = await reply.text();
      assert.ok(body.includes(baseUrl), `${path} says ${baseUrl}`);
      assert.ok(Number(reply.headers.get('content-length')) * 6 < body.length, `${path} as ${encoding}`);
      const etag = reply.headers.get('etag')!;
      const again = await fetch(baseUrl + path, { headers: { ...headers, 'if-none-match': etag } });
      assert.equal(again.status, 304);
      assert.equal(await again.text(), '');
    }
    const refused = { 'accept-encoding': 'br;q=0, gzip; q=0' };
    assert.equal((await fetch(baseUrl + path, { headers: refused })).headers.get('content-encoding'), null);
  }
});

test('the address shown is the public one, or the one that a proxy says', async (t) => {
  const publicUrl = 'https://api.example.com';
  const given = await startService(t, { env: { VAUBAN_PUBLIC_URL: publicUrl } });
  const behindProxy = await startService(t, { env: { VAUBAN_TRUST_PROXY: '127.0.0.1' } });
  const server = async (baseUrl: string, headers = {}) =>
    (await (await fetch(`${baseUrl}/openapi.json`, { headers })).json()).servers[0].url;
  assert.equal(await server(given.baseUrl), publicUrl);
  const forwarded = { 'x-forwarded-host': 'cloud.example.org', 'x-forwarded-proto': 'https' };
  assert.equal(await server(behindProxy.baseUrl, forwarded), 'https://cloud.example.org');
  assert.equal(await server(given.baseUrl, forwarded), publicUrl, 'of strangers nothing is believed');
  // What is no name is not repeated, in a page least of all.
  const hostile = { ...forwarded, 'x-forwarded-host': 'a"><script>alert(1)</script>' };
  assert.equal(await server(behindProxy.baseUrl, hostile), 'http://127.0.0.1:0');
});

test('addresses by the hundred are answered, and few of them kept', async (t) => {
  const { baseUrl } = await startService(t, { env: { VAUBAN_TRUST_PROXY: '127.0.0.1' } });
  const names = Array.from({ length: 100 }, (_, index) => `h${index}.example.com`);
  const texts = names.map(async (name) => {
    const reply = await fetch(`${baseUrl}/docs`, { headers: { 'x-forwarded-host': name } });
    return { name, encoding: reply.headers.get('content-encoding'), text: await reply.text() };
  });
  for (const { name, text } of await Promise.all(texts)) assert.ok(text.includes(`http://${name}`));
  const compressed = (await Promise.all(texts)).filter(({ encoding }) => encoding !== null);
  assert.ok(compressed.length < names.length, 'one address at a time is compressed');
});

test('the reference in a browser', { skip: NO_BROWSER }, async (t) => {
  const { baseUrl } = await startService(t);
  const browser = await startBrowser(t);

  for (const [width, themes] of [
    [320, 'light'],
    [1280, 'light and dark'],
  ] as const) {
    await t.test(`${width} pixels wide, ${themes}: whole, and usable by everybody`, async () => {
      const { page, complaints } = await newPage(browser);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${baseUrl}/docs`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      assert.deepEqual(await violations(page), []);
      if (themes === 'light and dark') {
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await violations(page, COLOURS), []);
      }
      assert.deepEqual(complaints, []);
      await page.close();
    });
  }

  await t.test('search shows what matches and nothing else', async () => {
    const { page } = await newPage(browser);
    await page.goto(`${baseUrl}/docs`);
    const shown = page.locator('.operation:visible h3');
    const all = await shown.count();
    await page.keyboard.press('/');
    await page.keyboard.type('snapshot post');
    assert.deepEqual(await shown.allTextContents(), ['Create a snapshot']);
    assert.equal(await page.locator('#found').textContent(), '1 found');
    await page.keyboard.press('Enter');
    assert.match(page.url(), /#operation-createSnapshot$/);
    await page.locator('#search').fill('no such thing');
    assert.equal(await page.locator('main section:visible').count(), 0);
    await page.locator('#search').press('Escape');
    assert.equal(await shown.count(), all);
  });

  await t.test('a block of code is copied as it stands', async () => {
    const { page } = await newPage(browser);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${baseUrl}/docs`);
    await page.locator('.copy').first().click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `export BASE_URL="${baseUrl}"\nexport API_KEY="vk_…"`);
  });
});
