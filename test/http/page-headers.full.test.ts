import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../chaos/support/in-process.ts';
import { buildIfChanged } from '../panel/browser/support/panel-page.ts';
import { read, sources } from '../support/source.ts';

/** The headers of every page. */
const PAGE_HEADERS: Record<string, RegExp> = {
  'x-content-type-options': /^nosniff$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'permissions-policy': /^camera=\(\), geolocation=\(\), microphone=\(\)$/,
  'referrer-policy': /^(same-origin|no-referrer)$/,
};
const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];
/** The only page that another page of ours embeds. */
const FRAMED = '/panel/terminal';

test('every reply that a browser shows as a page has the same security headers', async (t) => {
  await buildIfChanged();
  const env = { VAUBAN_RATE_LIMIT_OPEN: '100000', VAUBAN_RATE_LIMIT_IP: '100000' };
  const { baseUrl } = await startInProcess(t, { env });
  const waiting = [
    ...[
      '/',
      '/panel',
      '/panel/',
      '/panel/terminal',
      '/panel/no/such/page',
      '/panel/api/nowhere',
      '/panel/logo',
    ],
    ...['/operator', '/operator/', '/operator/no/such/page', '/operator/api/nowhere'],
    ...[
      '/docs',
      '/docs/',
      '/docs/nowhere',
      '/docs/guides/nowhere',
      '/share/shr_x',
      '/share/',
      '/share/assets/x',
    ],
    ...['/v1/vm', '/v1/nowhere', '/nowhere', '/healthz', '/readyz', '/%zz', '/llms.txt', '/openapi.json'],
  ];
  const seen = new Set(waiting);
  const pages: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const reply = await fetch(baseUrl + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
    const text = await reply.text();
    const type = reply.headers.get('content-type') ?? '';
    assert.equal(/^\s*<(!doctype|html)/i.test(text), type.startsWith('text/html'), `${path}: ${type}`);
    if (!type.startsWith('text/html')) continue;
    pages.push(path);
    for (const [name, value] of Object.entries(PAGE_HEADERS))
      assert.match(reply.headers.get(name) ?? '', value, `${path}: ${name}`);
    const policy = (reply.headers.get('content-security-policy') ?? '').split('; ');
    for (const directive of [...DIRECTIVES, `frame-ancestors ${path === FRAMED ? "'self'" : "'none'"}`])
      assert.ok(policy.includes(directive), `${path}: ${directive}`);
    for (const [, link] of text.matchAll(/href="(\/[^"#]*)/g))
      if (!seen.has(link!)) {
        seen.add(link!);
        waiting.push(link!);
      }
  }
  for (const path of ['/panel/', '/panel/terminal', '/operator/', '/docs/', '/share/shr_x'])
    assert.ok(pages.includes(path), path);
  assert.ok(pages.filter((path) => path.startsWith('/docs/reference/')).length > 60, `${pages.length} pages`);
});

test('no other code creates a page', () => {
  const makers = sources('server').filter((path) => /['"`]text\/html;/.test(read(path)));
  assert.deepEqual(makers, ['server/http/page-headers.ts']);
});
