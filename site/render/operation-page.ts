import type { JsonSchema, OpenApiDocument, Response } from '../../server/http/openapi/document.ts';
import { codeBlock, jsonBlock } from './code.ts';
import { operationErrors } from './errors.ts';
import { inputFields, outputFields, parameterList, typeName } from './fields.ts';
import { breakable, type Html, html } from './html.ts';
import { basicsUrl } from './links.ts';
import { markdown } from './markdown.ts';
import type { Entry } from './roster.ts';
import { samplesOf, takesKey } from './samples.ts';

/** Renders one operation: its input, reply and errors, with sample calls and a sample reply next to them. */
export function operationBody(document: OpenApiDocument, entry: Entry): Html {
  const { method, path, operation, success } = entry;
  return html`<div class="operation">
<div class="text">
<h1>${operation.summary}</h1>
<p class="route">${methodLabel(method)} <code>${breakable(path)}</code></p>
${operation.description && markdown(operation.description)}
${traits(entry)}
${parameters(entry)}
${requestBody(entry)}
${reply(success)}
<h2>Errors</h2>
${operationErrors(document, operation)}
</div>
<div class="examples">
<h2>Request</h2>
${tabs(document, entry)}
<h2>Response</h2>
${Object.values(success.content)
  .filter(({ example }) => example !== undefined)
  .map(({ example }) => (typeof example === 'string' ? codeBlock(example) : jsonBlock(example)))}
</div>
</div>
`;
}

export function methodLabel(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** Renders the samples one below the other; the page's script turns them into tabs. */
function tabs(document: OpenApiDocument, entry: Entry): Html {
  const { curl, cli, typescript } = samplesOf(document, entry);
  const ways = [
    ['curl', 'curl', codeBlock(curl, 'sh')],
    ['cli', 'vauban', codeBlock(cli, 'sh')],
    ['typescript', 'TypeScript', codeBlock(typescript.trimEnd(), 'ts')],
  ] as const;
  const panels = ways.map(
    ([
      id,
      title,
      block,
    ]) => html`<section data-tab="${id}" aria-labelledby="way-${id}"><h3 id="way-${id}">${title}</h3>${block}</section>
`,
  );
  return html`<div class="tabs">${panels}</div>`;
}

function traits(entry: Entry): Html {
  const { operation, success, resource, name } = entry;
  return html`<ul class="traits"><li>Scope <code>${operation['x-required-scope']}</code></li>
<li>SDK <code>client.${resource}.${name}</code></li>
${takesKey(entry) && html`<li>Needs an <a href="${basicsUrl('idempotency')}">Idempotency-Key</a></li>`}
${'Cache-Control' in success.headers && html`<li>Answers with a secret, never to be cached</li>`}</ul>`;
}

function parameters({ parameters }: Entry): Html[] {
  return (['path', 'query'] as const).map((place) => {
    const some = parameters.filter((parameter) => parameter.in === place);
    return html`${some.length > 0 && html`<h2>${place === 'path' ? 'Path' : 'Query'}</h2>${parameterList(some)}`}`;
  });
}

function requestBody({ body }: Entry): Html | undefined {
  if (!body?.schema.properties) return undefined;
  const { schema } = body;
  return html`<h2>Body</h2>${schema.description && markdown(schema.description)}${inputFields(schema)}`;
}

function reply(success: Response): Html[] {
  return Object.entries(success.content).map(([type, { schema }]) =>
    type === 'application/json' ? html`<h2>Reply</h2>${outputFields(schema)}` : otherReply(type, schema),
  );
}

function otherReply(type: string, schema: JsonSchema): Html {
  return html`<h2>Reply as <code>${type}</code></h2><p>${typeName(schema)}</p>${schema.description && markdown(schema.description)}`;
}
