import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../chaos/support/in-process.ts';

const PUBLIC_URL = 'https://api.example.com';
const FORWARDED = { 'x-forwarded-host': 'cloud.example.org', 'x-forwarded-proto': 'https' };

const serverIn = async (url: string, headers = {}) =>
  (await (await fetch(url, { headers })).json()).servers[0].url;

test('the description, as a service behind a proxy serves it', async (t) => {
  const { baseUrl } = await startInProcess(t, { env: { VAUBAN_TRUST_PROXY: '127.0.0.1' } });
  const url = `${baseUrl}/openapi.json`;

  await t.test('is small on the wire, cached by its hash, and says where it is served', async () => {
    const raw = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    const text = await raw.text();
    assert.deepEqual(JSON.parse(text).servers, [{ url: baseUrl, description: 'This service.' }]);
    assert.ok(!text.includes('\n'), 'minified');
    assert.equal(raw.headers.get('content-encoding'), null);
    for (const encoding of ['gzip', 'br']) {
      const headers = { 'accept-encoding': encoding };
      const reply = await fetch(url, { headers });
      assert.equal(reply.headers.get('content-encoding'), encoding);
      assert.equal(reply.headers.get('vary'), 'accept-encoding');
      const body = await reply.text();
      assert.ok(body.includes(baseUrl), `it says ${baseUrl}`);
      assert.ok(Number(reply.headers.get('content-length')) * 6 < body.length, encoding);
      const etag = reply.headers.get('etag')!;
      const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
      assert.equal(again.status, 304);
      assert.equal(await again.text(), '');
    }
    const refused = { 'accept-encoding': 'br;q=0, gzip; q=0' };
    assert.equal((await fetch(url, { headers: refused })).headers.get('content-encoding'), null);
  });

  await t.test('names the address that the proxy says', async () => {
    assert.equal(await serverIn(url, FORWARDED), 'https://cloud.example.org');
    // An invalid host name is not repeated.
    const hostile = { ...FORWARDED, 'x-forwarded-host': 'a"><script>alert(1)</script>' };
    assert.equal(await serverIn(url, hostile), 'http://127.0.0.1:0');
  });

  await t.test('is available for hundreds of addresses, of which few are kept', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `h${index}.example.com`);
    const texts = names.map(async (name) => {
      const reply = await fetch(url, { headers: { 'x-forwarded-host': name } });
      return { name, encoding: reply.headers.get('content-encoding'), text: await reply.text() };
    });
    for (const { name, text } of await Promise.all(texts)) assert.ok(text.includes(`http://${name}`));
    const compressed = (await Promise.all(texts)).filter(({ encoding }) => encoding !== null);
    assert.ok(compressed.length < names.length, 'one address at a time is compressed');
  });
});

test('the description names the public address, whatever strangers send', async (t) => {
  const { baseUrl } = await startInProcess(t, { env: { VAUBAN_PUBLIC_URL: PUBLIC_URL } });
  const url = `${baseUrl}/openapi.json`;
  assert.equal(await serverIn(url), PUBLIC_URL);
  assert.equal(await serverIn(url, FORWARDED), PUBLIC_URL);
});
