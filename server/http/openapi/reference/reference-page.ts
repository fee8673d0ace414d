import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument, Operation } from '../document.ts';
import { errorIndex } from './errors.ts';
import { outputFields, typeName, valuesOf } from './fields.ts';
import { Html, html } from './html.ts';
import { headings, markdown } from './markdown.ts';
import { methodLabel, operationSection } from './operation-section.ts';

const STYLE = ['page.css', 'navigation.css', 'operation.css']
  .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
  .join('\n');

const SCRIPT = readFileSync(new URL('reference.js', import.meta.url), 'utf8');

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The Content-Security-Policy to send with the page: its own style sheet and script, and nothing else from anywhere. */
export const REFERENCE_PAGE_CSP = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Section {
  tag: OpenApiDocument['tags'][number];
  operations: { method: string; path: string; operation: Operation }[];
}

/** The reference as one HTML page that needs no other file and no other host, and works without its script. */
export function renderReferencePage(document: OpenApiDocument): string {
  const sections = sectionsOf(document);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${navigation(document, sections)}
<main id="content">
${introduction(document)}
${sections.map(
  ({ tag, operations }) => html`<section class="tag" id="tag-${tag.name}">
<h2>${tag['x-displayName']}</h2>
<p>${tag.description}</p>
${operations.map(({ method, path, operation }) => operationSection(document, method, path, operation))}</section>
`,
)}
<section class="prose" id="all-errors"><h2>All errors</h2>${errorIndex(document)}</section>
<section class="prose" id="objects"><h2>Objects</h2>${objects(document)}</section>
</main>
<script type="module">${new Html(SCRIPT)}</script>
</body>
</html>
`;
  return page.text;
}

function sectionsOf({ tags, paths }: OpenApiDocument): Section[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return tags
    .map((tag) => ({ tag, operations: all.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter(({ operations }) => operations.length > 0);
}

function introduction({ info, servers }: OpenApiDocument): Html {
  const [server] = servers;
  const base = server?.variables?.base_url?.default ?? server?.url ?? '';
  return html`<header class="prose">
<h1>${info.title}</h1>
<p class="lead">${info.summary}</p>
<p>Version ${info.version} · <a href="/openapi.json">openapi.json</a></p>
<p>The examples below can be pasted into a shell once these two are set:</p>
<pre tabindex="0"><code>export BASE_URL="${base}"
export API_KEY="vk_…"</code></pre>
</header>
<section class="prose">${markdown(info.description)}</section>
`;
}

function navigation(document: OpenApiDocument, sections: Section[]): Html {
  const basics = headings(document.info.description).map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>
`,
  );
  const groups = sections.map(({ tag, operations }) => {
    const links = operations.map(
      ({
        method,
        operation,
      }) => html`<li><a href="#operation-${operation.operationId}">${methodLabel(method)} ${operation.summary}</a></li>
`,
    );
    return html`<h2><a href="#tag-${tag.name}">${tag['x-displayName']}</a></h2>
<ul>${links}</ul>
`;
  });
  return html`<nav aria-label="Contents">
<search hidden><input id="search" type="search" placeholder="Search" aria-label="Search operations and objects" aria-keyshortcuts="/" autocomplete="off"><span id="found" role="status"></span></search>
<div class="groups">
<h2><a href="#content">Basics</a></h2>
<ul>${basics}</ul>
${groups}
<h2><a href="#all-errors">All errors</a></h2>
<h2><a href="#objects">Objects</a></h2>
<ul>${Object.keys(document.components.schemas).map(
    (name) => html`<li><a href="#object-${name}">${name}</a></li>
`,
  )}</ul>
</div>
</nav>
`;
}

function objects({ components }: OpenApiDocument): Html[] {
  return Object.entries(components.schemas).map(
    ([name, schema]) => html`<section class="object" id="object-${name}">
<h3><a href="#object-${name}">${name}</a></h3>
${schema.description && markdown(schema.description)}
${schema.properties ? outputFields(schema) : valuesOf(schema) || html`<p>${typeName(schema)}</p>`}
</section>
`,
  );
}
