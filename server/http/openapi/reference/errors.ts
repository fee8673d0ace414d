import { isReference, type OpenApiDocument, type Operation, type Response, resolve } from '../document.ts';
import { breakable, type Html, html, join } from './html.ts';
import { inlineMarkdown } from './markdown.ts';

interface ErrorRow {
  status: string;
  code: string;
  meaning: string;
}

/** Every error that an operation of the document can answer, each once, by status and code. */
export function errorIndex(document: OpenApiDocument): Html {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const rows = operations.flatMap((operation) =>
    refusals(operation).flatMap(([status, response]) =>
      errorRows(status, resolve(document, 'responses', response)),
    ),
  );
  const once = new Map(rows.map((row) => [row.code, row]));
  const sorted = [...once.values()].sort(
    (a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code),
  );
  return errorTable(sorted, (row) => `error-${row.code}`);
}

/** The errors of one operation: its own with their meaning, then the usual ones by name. */
export function operationErrors(document: OpenApiDocument, operation: Operation): Html {
  const all = refusals(operation);
  const own = all.flatMap(([status, response]) => (isReference(response) ? [] : errorRows(status, response)));
  const usual = all.flatMap(([status, response]) =>
    isReference(response) ? errorRows(status, resolve(document, 'responses', response)) : [],
  );
  const links = usual.map(({ code }) => html`<a href="#error-${code}"><code>${code}</code></a>`);
  return html`${own.length > 0 && errorTable(own)}
<p class="usual">${own.length > 0 ? 'As elsewhere: ' : 'Only the usual ones: '}${join(links, ', ')}.</p>`;
}

function errorTable(rows: ErrorRow[], idOf?: (row: ErrorRow) => string): Html {
  const lines = rows.map(
    (
      row,
    ) => html`<tr${idOf && html` id="${idOf(row)}"`}><td>${row.status}</td><td><code>${breakable(row.code)}</code></td><td>${inlineMarkdown(row.meaning)}</td></tr>
`,
  );
  return html`<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${lines}</tbody></table>`;
}

function refusals({ responses }: Operation) {
  return Object.entries(responses).filter(([status]) => status !== '200');
}

function errorRows(status: string, response: Response): ErrorRow[] {
  const examples = response.content['application/json']?.examples ?? {};
  return Object.entries(examples).map(([code, { summary = '' }]) => ({ status, code, meaning: summary }));
}
