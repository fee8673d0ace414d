import { type OpenApiDocument, type Operation, type Parameter, resolve } from '../document.ts';
import { type Html, html } from './html.ts';

/** A JSON value, indented, with names, strings and other values marked for colour. */
export function jsonBlock(value: unknown): Html {
  const tokens = JSON.stringify(value, null, 2).split(
    /("(?:\\.|[^"\\])*"(?:\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.e+-]*)/,
  );
  return html`<pre tabindex="0"><code>${tokens.map((token, index) => (index % 2 === 1 ? mark(token) : token))}</code></pre>`;
}

function mark(token: string): Html {
  if (token.endsWith(':')) return html`<span class="name">${token.slice(0, -1)}</span>:`;
  return html`<span class="${token.startsWith('"') ? 'string' : 'value'}">${token}</span>`;
}

/** The operation as a curl command; `$BASE_URL` and `$API_KEY` are the reader's. */
export function curlBlock(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const parameters = operation.parameters.map((parameter) => resolve(document, 'parameters', parameter));
  const body = operation.requestBody?.content['application/json'];
  const sendsBody =
    body !== undefined && (operation.requestBody?.required || Object.keys(Object(body.example)).length > 0);
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$BASE_URL${exampleUrl(path, parameters)}"`,
    '-H "Authorization: Bearer $API_KEY"',
    ...(parameters.some(({ name }) => name === 'Idempotency-Key')
      ? ['-H "Idempotency-Key: $(uuidgen)"']
      : []),
    ...(sendsBody
      ? ['-H "Content-Type: application/json"', `-d ${shellQuote(JSON.stringify(body.example, null, 2))}`]
      : []),
  ];
  return html`<pre tabindex="0"><code>${lines.join(' \\\n  ')}</code></pre>`;
}

/** The path with example values, and the query parameters that must be there. */
function exampleUrl(path: string, parameters: Parameter[]): string {
  const filled = path.replace(/\{(\w+)\}/g, (variable, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.schema.examples?.[0] ?? variable),
  );
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const pairs = query.map(({ name, schema }): [string, string] => [
    name,
    String(schema.examples?.[0] ?? schema.enum?.[0] ?? schema.minimum ?? ''),
  ]);
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
