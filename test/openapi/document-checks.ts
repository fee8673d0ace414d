import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {
  type JsonSchema,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  resolve,
} from '../../server/http/openapi/document.ts';

/** Returns every operation with its name as "METHOD /path". */
export function operationsOf(document: OpenApiDocument): { name: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

/** Returns one line for each example of a body or a reply that its own schema rejects. */
export function wrongExamples(document: OpenApiDocument): string[] {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return mediaTypes(document, '').flatMap(({ pointer, content }) => {
    const isValid = ajv.compile({ $ref: `openapi#${pointer}/schema` });
    const examples = [content.example, ...Object.values(content.examples ?? {}).map(({ value }) => value)];
    return examples
      .filter((example) => example !== undefined && !isValid(example))
      .map(
        (example) =>
          `${decodeURIComponent(pointer)}: ${JSON.stringify(example)} ${explain(isValid, example)}`,
      );
  });
}

function explain(isValid: ValidateFunction, example: unknown): string {
  isValid(example);
  return JSON.stringify(isValid.errors);
}

/** Returns every place in the document with a schema and examples of it, as a JSON pointer. */
function mediaTypes(node: object, pointer: string): { pointer: string; content: MediaType }[] {
  if ('schema' in node && ('example' in node || 'examples' in node))
    return [{ pointer, content: node as MediaType }];
  return Object.entries(node)
    .filter(([, child]) => typeof child === 'object' && child !== null)
    .flatMap(([key, child]) => {
      const step = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
      return mediaTypes(child, `${pointer}/${step}`);
    });
}

/** Returns one line for each object in a 200 reply that allows unknown fields or may omit documented ones. */
export function looseReplies(document: OpenApiDocument): string[] {
  return operationsOf(document).flatMap(({ name, operation }) => {
    const success = resolve(document, 'responses', operation.responses['200']!);
    const schema = success.content['application/json']?.schema;
    return schema ? looseObjects(document, schema, name, new Set()) : [];
  });
}

function looseObjects(
  document: OpenApiDocument,
  schema: JsonSchema,
  place: string,
  seen: Set<string>,
): string[] {
  if (schema.$ref) {
    if (seen.has(schema.$ref)) return [];
    return looseObjects(document, resolve(document, 'schemas', schema), schema.$ref, seen.add(schema.$ref));
  }
  const { properties } = schema;
  const inner = [schema.items, ...(schema.anyOf ?? []), ...Object.values(properties ?? {})];
  return [
    ...(properties && schema.additionalProperties !== false ? [`${place} takes unknown fields`] : []),
    ...Object.keys(properties ?? {})
      .filter((field) => !schema.required?.includes(field))
      .map((field) => `${place} may leave out ${field}`),
    ...inner.flatMap((child) => (child ? looseObjects(document, child, place, seen) : [])),
  ];
}
