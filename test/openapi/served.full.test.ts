import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

test('the description is small on the wire, cached by its hash, and says where it is served', async (t) => {
  const { baseUrl } = await startService(t);
  const raw = await fetch(`${baseUrl}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
  const text = await raw.text();
  assert.deepEqual(JSON.parse(text).servers, [{ url: baseUrl, description: 'This service.' }]);
  assert.ok(!text.includes('\n'), 'minified');
  assert.equal(raw.headers.get('content-encoding'), null);
  const url = `${baseUrl}/openapi.json`;
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
  // What is no name is not repeated.
  const hostile = { ...forwarded, 'x-forwarded-host': 'a"><script>alert(1)</script>' };
  assert.equal(await server(behindProxy.baseUrl, hostile), 'http://127.0.0.1:0');
});

test('addresses by the hundred are answered, and few of them kept', async (t) => {
  const { baseUrl } = await startService(t, { env: { VAUBAN_TRUST_PROXY: '127.0.0.1' } });
  const names = Array.from({ length: 100 }, (_, index) => `h${index}.example.com`);
  const texts = names.map(async (name) => {
    const reply = await fetch(`${baseUrl}/openapi.json`, { headers: { 'x-forwarded-host': name } });
    return { name, encoding: reply.headers.get('content-encoding'), text: await reply.text() };
  });
  for (const { name, text } of await Promise.all(texts)) assert.ok(text.includes(`http://${name}`));
  const compressed = (await Promise.all(texts)).filter(({ encoding }) => encoding !== null);
  assert.ok(compressed.length < names.length, 'one address at a time is compressed');
});
