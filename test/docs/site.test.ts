import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { readDocument, readGuides, renderSite } from '../../site/build.ts';
import { framed } from '../../site/render/layout.ts';
import { OWN_STYLE } from '../../site/render/links.ts';
import { pagesOf } from '../../site/render/pages.ts';
import { rosterOf } from '../../site/render/roster.ts';
import { movedTo } from '../../site/src/moved.ts';
import { type Found, search } from '../../site/src/ranking.ts';

const ASSETS = { script: '/docs/assets/docs.js', styles: ['/docs/assets/docs.css'] };
const files = await renderSite(ASSETS);
const document = await readDocument();
const roster = rosterOf(document);
const pages = [...files].filter(([path]) => path.endsWith('.html'));
const addressOf = (path: string) => `/docs/${path.replace(/(^index)?\.html$/, '')}`;
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!);
/** Paths that the service serves in addition to the site's pages. */
const ELSEWHERE = ['/openapi.json', '/panel/', '/panel/keys', '/llms.txt', '/llms-full.txt'];

test('every operation has its page, with its path, scope and a call in each way', () => {
  assert.equal(roster.length, 62);
  for (const { id, path, operation, command } of roster) {
    const page = files.get(`reference/${id}.html`)!.replaceAll('<wbr>', '');
    for (const text of [path, operation['x-required-scope']!, 'rate_limit_exceeded', 'createClient', 'curl '])
      assert.ok(page.includes(text), `${id}: ${text}`);
    assert.ok(page.includes(command.replaceAll("'", '&#39;').slice(0, 12)), `${id}: ${command}`);
  }
});

test('every link leads to a page and an anchor that are there', () => {
  const ids = new Map(pages.map(([path, text]) => [addressOf(path), all(text, / id="([^"]+)"/g)]));
  for (const [page, some] of ids)
    assert.equal(new Set(some).size, some.length, `${page}: an id stands twice`);
  const icon = [...files.keys()].find((path) => path.endsWith('.svg'));
  const others = [
    ...ELSEWHERE,
    ...ASSETS.styles,
    OWN_STYLE,
    `/docs/${icon}`,
    '/docs/vauban.postman_collection.json',
  ];
  const broken = pages.flatMap(([path, text]) =>
    all(text, / href="([^"]+)"/g)
      .filter((target) => {
        const [page = '', anchor] = target.split('#');
        const found = ids.get(page || addressOf(path));
        return found ? anchor !== undefined && !found.includes(anchor) : !others.includes(target);
      })
      .map((target) => `${path}: ${target}`),
  );
  assert.deepEqual(broken, []);
  const index: Found[] = JSON.parse([...files].find(([path]) => path.startsWith('assets/search-'))![1]);
  const lost = index.filter(([, , url]) => {
    const [page, anchor] = url.split('#');
    return !ids.get(page!) || (anchor && !ids.get(page!)!.includes(anchor));
  });
  assert.deepEqual(lost, []);
  for (const text of [files.get('llms.txt')!]) {
    const targets = all(text, /\]\(([^)]+)\)/g).filter((target) => !ELSEWHERE.includes(target));
    assert.deepEqual(
      targets.filter((target) => !ids.has(target)),
      [],
    );
  }
});

test('the page of errors explains every code of an invalid field, and so does the text for models', () => {
  const page = files.get('reference/errors.html')!.replaceAll('<wbr>', '');
  const { enum: codes, 'x-enumDescriptions': meanings } = document.components.schemas.FieldCode!;
  assert.deepEqual(Object.keys(meanings!), codes);
  for (const [code, meaning] of Object.entries(meanings!)) {
    assert.ok(page.includes(`<code>${code}</code></td><td>${meaning}</td>`), code);
    assert.ok(files.get('llms-full.txt')!.includes(`- \`${code}\`: ${meaning}`), code);
  }
});

test('an old anchor of the single page leads to its new page', () => {
  const ids = new Map(pages.map(([path, text]) => [addressOf(path), all(text, / id="([^"]+)"/g)]));
  const names = [
    ...roster.map(({ id }) => `#operation-${id}`),
    ...Object.keys(document.components.schemas).map((name) => `#object-${name}`),
    ...(document.components.schemas.ErrorCode!.enum as string[]).map((code) => `#error-${code}`),
    ...['#all-errors', '#objects', '#keys', '#idempotency', '#rate-limits', '#requests-and-replies'],
    ...['#scopes', '#errors', '#lists', '#jobs', '#units-and-time', '#money'],
  ];
  for (const name of names) {
    const [page, anchor] = movedTo('/docs/', name)!.split('#');
    assert.ok(ids.has(page!), `${name}: ${page}`);
    if (anchor) assert.ok(ids.get(page!)!.includes(anchor), name);
  }
  assert.equal(movedTo('/docs/', ''), undefined);
  assert.equal(movedTo('/docs/guides/errors', '#errors'), undefined);
});

test('a page has no inline script and no inline style', () => {
  for (const [path, text] of pages) {
    const scripts = all(text, /(<script[^>]*>)/g);
    assert.deepEqual(scripts, [`<script type="module" src="${ASSETS.script}">`], path);
    assert.deepEqual(all(text, /<img src="([^"]*)"/g), ['/panel/logo'], path);
    assert.equal(all(text, /(<img\b)/gi).length, 1, path);
    assert.doesNotMatch(text, /<(style|iframe|object|form|base)\b|\sstyle=|\son\w+=/i, path);
  }
});

test('text from the description is escaped', async () => {
  const hostile: OpenApiDocument = structuredClone(document);
  const { get } = hostile.paths['/v1/vm/{id}']!;
  get!.summary = 'Get <script>alert(1)</script>';
  get!.description = 'Name <b>as given</b> and [a link](javascript:alert(1)).';
  const guides = await readGuides();
  const roster = rosterOf(hostile);
  const made = pagesOf(hostile, roster, guides).map((page) =>
    framed({ assets: { ...ASSETS, search: '', icon: '' }, guides, roster }, page),
  );
  const page = made.find((text) => text.includes('as given'))!;
  assert.ok(page.includes('Name &lt;b&gt;as given&lt;/b&gt;'));
  assert.ok(page.includes('Get &lt;script&gt;alert(1)&lt;/script&gt;'));
  assert.ok(!page.includes('<script>alert') && !page.includes('href="javascript:'));
});

test('elements are closed in the order in which they were opened', () => {
  for (const [path, text] of pages) {
    const open: string[] = [];
    for (const [, close, name] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (['input', 'img', 'meta', 'link', 'wbr', 'br'].includes(name!)) continue;
      if (close) assert.equal(open.pop(), name, path);
      else open.push(name!);
    }
    assert.deepEqual(open, [], path);
  }
});

test('the search finds what its words say', () => {
  const index: Found[] = JSON.parse([...files].find(([path]) => path.startsWith('assets/search-'))![1]);
  const first = (query: string) => search(index, query)[0]?.[2];
  assert.equal(first('create snap'), '/docs/reference/createSnapshot');
  assert.equal(first('vms.create'), '/docs/reference/createVm');
  assert.equal(first('change-plan'), '/docs/reference/changePlan');
  assert.equal(first('vm_locked'), '/docs/reference/errors#vm_locked');
  assert.equal(first('first vm'), '/docs/guides/first-vm');
  assert.deepEqual(search(index, 'no such thing'), []);
  assert.deepEqual(search(index, ' '), []);
});

test('the collection has a request for each operation', () => {
  const { item, variable } = JSON.parse(files.get('vauban.postman_collection.json')!);
  const requests = item.flatMap((folder: { item: { request: object }[] }) => folder.item);
  assert.equal(requests.length, roster.length);
  const named = new Set(variable.map(({ key }: { key: string }) => key));
  for (const name of all(JSON.stringify(requests), /\{\{(\w+)\}\}/g)) assert.ok(named.has(name), name);
});
