import { type OpenApiDocument, type Operation, resolve } from '../../server/http/openapi/document.ts';
import { breakable, type Html, html, join } from './html.ts';
import { errorUrl } from './links.ts';
import { inlineMarkdown } from './markdown.ts';

export interface ErrorRow {
  status: string;
  code: string;
  meaning: string;
}

/** Returns every error that an operation in the document can answer with, each once, by status and code. */
export function errorRows(document: OpenApiDocument): ErrorRow[] {
  const rows = operationsOf(document).flatMap((operation) => refusals(document, operation));
  const once = new Map(rows.map((row) => [row.code, row]));
  return [...once.values()].sort((a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code));
}

/** Renders all errors, each with an anchor. */
export function errorIndex(document: OpenApiDocument): Html {
  return errorTable(errorRows(document), ({ code }) => code);
}

/**
 * Renders the errors of one operation: first its particular errors with their meaning, then the names of those that
 * every operation has.
 */
export function operationErrors(document: OpenApiDocument, operation: Operation): Html {
  const codes = operationsOf(document).map((one) => refusals(document, one).map(({ code }) => code));
  const isEverywhere = (code: string) => codes.every((some) => some.includes(code));
  const [usual = [], own = []] = partition(refusals(document, operation), ({ code }) => isEverywhere(code));
  const links = usual.map(({ code }) => html`<a href="${errorUrl(code)}"><code>${code}</code></a>`);
  return html`${own.length > 0 && errorTable(own)}
<p class="usual">${own.length > 0 ? 'As elsewhere: ' : 'Only the usual ones: '}${join(links, ', ')}.</p>`;
}

/** Returns the codes of invalid fields with their meaning. */
export const fieldRows = ({ components }: OpenApiDocument): [code: string, meaning: string][] =>
  Object.entries(components.schemas.FieldCode!['x-enumDescriptions']!);

/** Renders the codes of invalid fields. */
export function fieldCodes(document: OpenApiDocument): Html {
  const lines = fieldRows(document).map(
    ([code, meaning]) => html`<tr><td><code>${breakable(code)}</code></td><td>${meaning}</td></tr>
`,
  );
  return html`<table class="errors"><thead><tr><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${lines}</tbody></table>`;
}

function partition<T>(all: T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

function errorTable(rows: ErrorRow[], idOf?: (row: ErrorRow) => string): Html {
  const lines = rows.map(
    (row) =>
      html`<tr${idOf && html` id="${idOf(row)}"`}><td>${row.status}</td><td><code>${breakable(row.code)}</code></td><td>${inlineMarkdown(row.meaning)}</td></tr>
`,
  );
  return html`<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${lines}</tbody></table>`;
}

function refusals(document: OpenApiDocument, { responses }: Operation): ErrorRow[] {
  return Object.entries(responses)
    .filter(([status]) => status !== '200')
    .flatMap(([status, response]) => {
      const { content } = resolve(document, 'responses', response);
      const examples = content['application/json']?.examples ?? {};
      return Object.entries(examples).map(([code, { summary = '' }]) => ({ status, code, meaning: summary }));
    });
}
