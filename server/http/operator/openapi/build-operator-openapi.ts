import type { ErrorCode } from '../../../platform/errors.ts';
import { VERSION } from '../../../platform/version.ts';
import { headers, PAGINATION } from '../../openapi/components.ts';
import type { Header, OpenApiDocument, Operation, Response } from '../../openapi/document.ts';
import { ErrorResponses } from '../../openapi/error-responses.ts';
import { buildOperation, replyOf, WITH_BODY } from '../../openapi/operation.ts';
import { SchemaRegistry } from '../../openapi/schema-registry.ts';
import type { OperatorEndpoint } from '../endpoint.ts';
import { CONVENTIONS, SUMMARY, TAGS, TITLE } from './conventions.ts';
import { EVERY_RESPONSE, OPERATOR_ERRORS } from './errors.ts';

const EVERY_OPERATION: ErrorCode[] = [
  'invalid_request',
  'validation_failed',
  'internal_error',
  'service_unavailable',
];
const HEADERS: Record<string, Header> = {
  'Cache-Control': {
    description: 'No reply may be kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
};

/** Returns the OpenAPI 3.1 description of the operator API, in the order of its endpoints. */
export function buildOperatorOpenApi(endpoints: readonly OperatorEndpoint[]): OpenApiDocument {
  const parts = { registry: new SchemaRegistry(), errors: new ErrorResponses(OPERATOR_ERRORS) };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method.toLowerCase()] = buildOperation(
      endpoint,
      { parameters: [], success: successOf(endpoint, parts.registry), codes: refusalCodes(endpoint) },
      parts,
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version: VERSION,
      summary: SUMMARY,
      description: CONVENTIONS,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The Unix socket `vauban.sock` in the data directory.' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, { title, description }]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    components: {
      securitySchemes: {},
      headers: HEADERS,
      parameters: {},
      responses: parts.errors.components(),
      schemas: { ...parts.errors.schemas(), Pagination: PAGINATION, ...parts.registry.components() },
    },
  };
}

function successOf(endpoint: OperatorEndpoint, registry: SchemaRegistry): Response {
  if (endpoint.file === undefined) {
    const content = { 'application/json': replyOf(endpoint, registry) };
    return { description: 'Done.', headers: headers(...EVERY_RESPONSE), content };
  }
  return {
    description:
      'A file of any length; truncated if an error occurs midway. The schema is that of each line.',
    headers: headers(...EVERY_RESPONSE),
    content: { [endpoint.file]: { schema: registry.toJson(endpoint.data) } },
  };
}

function refusalCodes({ params, method, paginated, errors }: OperatorEndpoint): Set<ErrorCode> {
  return new Set<ErrorCode>([
    ...EVERY_OPERATION,
    ...(params ? (['not_found'] as const) : []),
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(paginated ? (['invalid_cursor'] as const) : []),
    ...errors,
  ]);
}
