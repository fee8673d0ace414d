import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import {
  REFERENCE_PAGE_CSP,
  renderReferencePage,
} from '../../server/http/openapi/reference/reference-page.ts';
import { SAMPLES } from './samples.ts';

const document = buildOpenApi(SAMPLES);
const page = renderReferencePage(document);
const all = (pattern: RegExp) => [...page.matchAll(pattern)].map((match) => match[1]!);

test('every operation has its section, with its path, scope and example', () => {
  for (const { operation, path, scope } of SAMPLES) {
    const start = page.indexOf(`id="operation-${operation}"`);
    assert.notEqual(start, -1, operation);
    const section = page.slice(start, page.indexOf('</section>', start)).replaceAll('<wbr>', '');
    for (const text of [path, scope, 'curl', 'rate_limit_exceeded'])
      assert.ok(section.includes(text), `${operation}: ${text}`);
  }
});

test('a request can be sent as it is shown: an id stands in its path', () => {
  const text = renderReferencePage(buildOpenApi(ENDPOINTS)).replaceAll('<wbr>', '');
  const urls = [...text.matchAll(/\$BASE_URL([^&"]+)/g)].map((match) => match[1]!);
  assert.equal(urls.length, ENDPOINTS.length);
  assert.deepEqual(
    urls.filter((url) => !/^(\/[a-z0-9_-]+)+(\?|$)/.test(url)),
    [],
  );
  assert.ok(urls.some((url) => /^\/v1\/vm\/vm_[0-9a-z]{26}\/snapshots\/snap_[0-9a-z]{26}$/.test(url)));
});

test('every named schema has its section', () => {
  for (const name of Object.keys(document.components.schemas))
    assert.ok(page.includes(`id="object-${name}"`), name);
});

test('every link leads somewhere within the page, or to openapi.json', () => {
  const ids = all(/ id="([^"]+)"/g);
  assert.equal(new Set(ids).size, ids.length, 'an id stands twice');
  const known = new Set([...ids.map((id) => `#${id}`), '/openapi.json']);
  assert.deepEqual(
    all(/ href="([^"]+)"/g).filter((target) => !known.has(target)),
    [],
  );
});

test('the page loads nothing, and runs its own script alone', () => {
  const [script] = all(/<script type="module">(.*?)<\/script>/gs);
  assert.doesNotMatch(
    page.replace(script!, ''),
    /<script(?! type="module"><\/script>)|<(img|link|iframe|object|form)\b|\ssrc=|\sstyle=|\son\w+=|url\(|@import/i,
  );
  assert.equal(page.match(/<script/g)!.length, 1);
});

test('the policy allows the style sheet and the script of the page, and nothing else', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');
  const [style] = all(/<style>(.*?)<\/style>/gs);
  const [script] = all(/<script type="module">(.*?)<\/script>/gs);
  assert.ok(REFERENCE_PAGE_CSP.includes(`style-src 'sha256-${hash(style!)}'`));
  assert.ok(REFERENCE_PAGE_CSP.includes(`script-src 'sha256-${hash(script!)}'`));
  assert.ok(REFERENCE_PAGE_CSP.startsWith("default-src 'none'"));
});

test('text is escaped', () => {
  assert.ok(page.includes('Name &lt;b&gt;as given&lt;/b&gt;'));
  assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  assert.ok(!page.includes('<b>as given'));
});

test('elements are closed in the order in which they were opened', () => {
  const open: string[] = [];
  const body = page.replace(/<style>.*<\/style>/s, '').replace(/<script.*<\/script>/s, '');
  for (const [, close, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (['input', 'meta', 'wbr'].includes(name!)) continue;
    if (close) assert.equal(open.pop(), name);
    else open.push(name!);
  }
  assert.deepEqual(open, []);
});
