import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { errorIndex, fieldCodes } from './errors.ts';
import { outputFields, typeName, valuesOf } from './fields.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { BASICS, ERRORS, guideUrl, HOME, OBJECTS, operationUrl, POSTMAN } from './links.ts';
import { markdown } from './markdown.ts';
import { methodLabel, operationBody } from './operation-page.ts';
import { type Entry, RESOURCES } from './roster.ts';

/** A guide as written: Markdown that starts with a heading and a paragraph saying what it is about. */
export interface Guide {
  name: string;
  title: string;
  about: string;
  text: string;
}

/** Parses the text of a guide. Throws if it lacks a heading, a first paragraph or a body. */
export function guideOf(name: string, source: string): Guide {
  const [, title, about, text] = /^# ([^\n]+)\n\n(.+?)\n\n(.+)$/s.exec(source) ?? [];
  if (!title || !about || !text) throw new Error(`guide ${name}: a heading, a paragraph, and the rest`);
  return { name, title, about: about.replaceAll('\n', ' '), text };
}

export function pagesOf(document: OpenApiDocument, roster: Entry[], guides: readonly Guide[]): Page[] {
  return [
    {
      url: HOME,
      title: 'Documentation',
      description: 'Guides and reference of the customer API, the command line and the SDK.',
      body: home(document, roster, guides),
    },
    ...guides.map(({ name, title, about, text }) => ({
      url: guideUrl(name),
      title,
      description: about,
      body: prose(html`<h1>${title}</h1><p class="lead">${about}</p>${markdown(text)}`),
    })),
    {
      url: BASICS,
      title: 'Basics of the API',
      description: 'Conventions that apply to every operation of the API.',
      body: prose(html`<h1>Basics</h1>${markdown(document.info.description)}`),
    },
    ...roster.map((entry) => ({
      url: operationUrl(entry.id),
      title: `${entry.operation.summary} · ${RESOURCES[entry.resource]}`,
      description: `${entry.method} ${entry.path}: ${entry.operation.summary}.`,
      body: operationBody(document, entry),
    })),
    {
      url: OBJECTS,
      title: 'Objects of the API',
      description: 'Every object and set of values of the API with its fields.',
      body: prose(html`<h1>Objects</h1>${objects(document)}`),
    },
    {
      url: ERRORS,
      title: 'Errors of the API',
      description: 'Every error code with its status and its meaning.',
      body: prose(
        html`<h1>Errors</h1><p class="lead">Every code that an operation may answer, with what to do. How to write programs by them is in <a href="${guideUrl('errors')}">a guide</a>.</p>${errorIndex(document)}<h2 id="fields">Invalid fields</h2><p><code>validation_failed</code> names each invalid field in <code>details.fields</code>, with one of these codes and a message.</p>${fieldCodes(document)}`,
      ),
    },
  ];
}

const prose = (body: Html): Html => html`<div class="prose">${body}</div>`;

function home({ info }: OpenApiDocument, roster: Entry[], guides: readonly Guide[]): Html {
  const groups = Object.entries(RESOURCES).map(([resource, heading]) => {
    const items = roster
      .filter((entry) => entry.resource === resource)
      .map(
        ({ id, method, operation }) =>
          html`<li><a href="${operationUrl(id)}">${methodLabel(method)} <span>${operation.summary}</span></a></li>
`,
      );
    return html`<section><h3>${heading}</h3><ul class="list">${items}</ul></section>
`;
  });
  return html`<h1>${info.title}</h1>
<p class="lead">${info.summary} Call it with curl, with <code>vauban</code> at the command line, or with <code>@vauban/client</code> from TypeScript.</p>
<h2>Guides</h2>
<ul class="cards">${guides.map(
    ({ name, title, about }) =>
      html`<li><a href="${guideUrl(name)}"><strong>${title}</strong><span>${about}</span></a></li>
`,
  )}</ul>
<h2>Reference</h2>
<p><a href="${BASICS}">Basics</a> · <a href="${OBJECTS}">Objects</a> · <a href="${ERRORS}">Errors</a></p>
<div class="groups">${groups}</div>
<h2>For your tools</h2>
<ul class="bullets">
<li><a href="/openapi.json">openapi.json</a>: the OpenAPI 3.1 description, for generators of clients</li>
<li><a href="${POSTMAN}" download>Postman collection</a>: for Postman, and for Bruno, which imports it</li>
<li><a href="/llms.txt">llms.txt</a> and <a href="/llms-full.txt">llms-full.txt</a>: this documentation for language models</li>
</ul>
`;
}

function objects({ components }: OpenApiDocument): Html[] {
  return Object.entries(components.schemas).map(
    ([name, schema]) => html`<section class="object">
<h2 id="${name}"><a href="#${name}">${name}</a></h2>
${schema.description && markdown(schema.description)}
${schema.properties ? outputFields(schema) : valuesOf(schema) || html`<p>${typeName(schema)}</p>`}
</section>
`,
  );
}
