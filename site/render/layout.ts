import { type Html, html } from './html.ts';
import { BASICS, ERRORS, guideUrl, HOME, OBJECTS, OWN_STYLE, operationUrl } from './links.ts';
import { methodLabel } from './operation-page.ts';
import { type Entry, RESOURCES } from './roster.ts';

/** The site's files by purpose; their names contain a hash of their content. */
export interface Assets {
  script: string;
  styles: string[];
  search: string;
  icon: string;
}

/** A guide by its file name, with its heading. */
export interface GuideLink {
  name: string;
  title: string;
}

export interface Frame {
  assets: Assets;
  guides: readonly GuideLink[];
  roster: readonly Entry[];
}

export interface Page {
  /** Relative to the service's address. */
  url: string;
  title: string;
  description: string;
  body: Html;
}

/** Renders a whole page. It loads only its own files and is readable without its script. */
export function framed(frame: Frame, { url, title, description, body }: Page): string {
  const { assets } = frame;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
${assets.styles.map(
  (style) => html`<link rel="stylesheet" href="${style}">
`,
)}<link rel="stylesheet" href="${OWN_STYLE}">
<link rel="icon" href="${assets.icon}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="home" href="${HOME}"><img src="/panel/logo" alt="" loading="lazy"><span class="own-name"></span>Documentation</a>
<search class="search" data-index="${assets.search}" hidden>
<input id="search" type="search" role="combobox" placeholder="Search" aria-label="Search the documentation" aria-keyshortcuts="/" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd>
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
<span id="count" class="visually-hidden" role="status"></span>
</search>
<a class="panel" href="/panel/">Control panel</a>
</header>
<details class="contents"><summary>Contents</summary></details>
<nav aria-label="Contents">${contents(frame, url)}</nav>
<main id="content" tabindex="-1">
${body}
</main>
</body>
</html>
`.text;
}

function contents({ guides, roster }: Frame, url: string): Html {
  const groups = Object.entries(RESOURCES).map(([resource, heading]) => {
    const entries = roster.filter((entry) => entry.resource === resource);
    const isHere = entries.some(({ id }) => operationUrl(id) === url);
    const items = entries.map(({ id, method, operation }) =>
      entryOf(operationUrl(id), url, html`${methodLabel(method)} <span>${operation.summary}</span>`),
    );
    return html`<li><details${isHere && html` open`}><summary>${heading}</summary><ul>${items}</ul></details></li>
`;
  });
  return html`<h2>Guides</h2>
<ul>${guides.map(({ name, title }) => entryOf(guideUrl(name), url, title))}</ul>
<h2>Reference</h2>
<ul>${entryOf(BASICS, url, 'Basics')}${groups}${entryOf(OBJECTS, url, 'Objects')}${entryOf(ERRORS, url, 'Errors')}</ul>
`;
}

function entryOf(target: string, url: string, text: Html | string): Html {
  return html`<li><a href="${target}"${target === url && html` aria-current="page"`}>${text}</a></li>
`;
}
