import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Response,
  resolve,
} from '../document.ts';
import { curlBlock, jsonBlock } from './code.ts';
import { operationErrors } from './errors.ts';
import { inputFields, outputFields, parameterList, typeName } from './fields.ts';
import { breakable, type Html, html } from './html.ts';
import { markdown } from './markdown.ts';

/** One operation: what it takes, gives and refuses on the left, an example of it on the right. */
export function operationSection(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const success = resolve(document, 'responses', operation.responses['200']!);
  return html`<section class="operation" id="operation-${operation.operationId}">
<div class="text">
<h3><a href="#operation-${operation.operationId}">${operation.summary}</a></h3>
<p class="route">${methodLabel(method)} <code>${breakable(path)}</code></p>
${operation.description && markdown(operation.description)}
${traits(operation, success)}
${parameters(document, operation)}
${requestBody(document, operation)}
${reply(success)}
<h4>Errors</h4>
${operationErrors(document, operation)}
</div>
<div class="examples">
<h4>Request</h4>
${curlBlock(document, method, path, operation)}
<h4>Response</h4>
${Object.values(success.content)
  .filter(({ example }) => example !== undefined)
  .map(({ example }) =>
    typeof example === 'string' ? html`<pre tabindex="0"><code>${example}</code></pre>` : jsonBlock(example),
  )}
</div>
</section>
`;
}

export function methodLabel(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

function traits(operation: Operation, success: Response): Html {
  const isIdempotent = operation.parameters.some(
    (parameter) => '$ref' in parameter && parameter.$ref.endsWith('/IdempotencyKey'),
  );
  return html`<ul class="traits"><li>Scope <code>${operation['x-required-scope']}</code></li>
${isIdempotent && html`<li>Needs an <a href="#idempotency">Idempotency-Key</a></li>`}
${'Cache-Control' in success.headers && html`<li>Answers with a secret, never to be cached</li>`}</ul>`;
}

function parameters(document: OpenApiDocument, operation: Operation): Html[] {
  const all = operation.parameters.map((parameter) => resolve(document, 'parameters', parameter));
  return (['path', 'query'] as const).map((place) => {
    const some = all.filter((parameter) => parameter.in === place);
    return html`${some.length > 0 && html`<h4>${place === 'path' ? 'Path' : 'Query'}</h4>${parameterList(some)}`}`;
  });
}

function requestBody(document: OpenApiDocument, operation: Operation): Html | undefined {
  const content = operation.requestBody?.content['application/json'];
  const schema = content && resolve(document, 'schemas', content.schema);
  return (
    schema?.properties &&
    html`<h4>Body</h4>${schema.description && markdown(schema.description)}${inputFields(schema)}`
  );
}

function reply(success: Response): Html[] {
  return Object.entries(success.content).map(([type, { schema }]) =>
    type === 'application/json' ? html`<h4>Reply</h4>${outputFields(schema)}` : streamReply(type, schema),
  );
}

function streamReply(type: string, schema: JsonSchema): Html {
  return html`<h4>Reply</h4><p><code>${type}</code>: ${typeName(schema)}</p>${schema.description && markdown(schema.description)}`;
}
