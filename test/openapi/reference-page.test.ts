import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { buildOpenApi } from '../../server/openapi/build-openapi.ts';
import { REFERENCE_PAGE_CSP, renderReferencePage } from '../../server/openapi/reference/reference-page.ts';
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

test('the page loads nothing and runs nothing', () => {
  assert.doesNotMatch(
    page,
    /<(script|img|link|iframe|object|form)\b|\ssrc=|\sstyle=|\son\w+=|url\(|@import/i,
  );
});

test('the policy allows the style sheet of the page and nothing else', () => {
  const [style] = all(/<style>(.*?)<\/style>/gs);
  const hash = createHash('sha256').update(style!).digest('base64');
  assert.ok(REFERENCE_PAGE_CSP.includes(`style-src 'sha256-${hash}'`));
  assert.ok(REFERENCE_PAGE_CSP.startsWith("default-src 'none'"));
});

test('text is escaped', () => {
  assert.ok(page.includes('Name &lt;b&gt;as given&lt;/b&gt;'));
  assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  assert.ok(!page.includes('<b>as given'));
});

test('elements are closed in the order in which they were opened', () => {
  const open: string[] = [];
  const body = page.replace(/<style>.*<\/style>/s, '');
  for (const [, close, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (['meta', 'wbr'].includes(name!)) continue;
    if (close) assert.equal(open.pop(), name);
    else open.push(name!);
  }
  assert.deepEqual(open, []);
});
