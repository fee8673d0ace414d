import { ERROR_CODES, ERRORS, type ErrorCode } from '../../platform/error-codes.ts';
import type { TObject, TSchema } from '../../platform/schema.ts';
import type { AnyOperation } from '../operation.ts';
import { PAGINATION_EXAMPLE } from './components.ts';
import type { JsonSchema, MediaType, Operation, Parameter, Reference, Response } from './document.ts';
import type { ErrorResponses } from './error-responses.ts';
import { sample } from './sample.ts';
import type { SchemaRegistry } from './schema-registry.ts';

const NO_BODY = {
  $id: 'EmptyRequest',
  type: 'object',
  additionalProperties: false,
  description: 'Nothing: no body, or an empty object.',
};

/** How an operation says who may call it. */
export type Admission = Pick<Operation, 'x-required-scope' | 'x-access' | 'x-confirm' | 'security'>;

/** The parts of an operation's description that depend on the API. */
export interface Particulars {
  admission: Admission;
  /** Further parameters, listed after those in the path and query. */
  parameters: Reference[];
  success: Response;
  /** All codes that the operation can return. */
  codes: ReadonlySet<ErrorCode>;
}

/** Returns the OpenAPI operation of a definition. Adds its named schemas to the registry. */
export function buildOperation(
  definition: AnyOperation,
  { admission, parameters, success, codes }: Particulars,
  { registry, errors }: { registry: SchemaRegistry; errors: ErrorResponses },
): Operation {
  const { params, query, operation, summary, description, tag } = definition;
  return {
    operationId: operation,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...admission,
    parameters: [
      ...parametersIn('path', params, registry),
      ...parametersIn('query', query, registry),
      ...parameters,
    ],
    ...(takesBody(definition) && { requestBody: requestBodyOf(definition, registry) }),
    responses: { 200: success, ...refusals(codes, errors) },
  };
}

function parametersIn(
  place: 'path' | 'query',
  fields: TObject | undefined,
  registry: SchemaRegistry,
): Parameter[] {
  return Object.entries(fields?.properties ?? {}).map(([name, field]) => {
    const { description, ...schema } = registry.toJson(field);
    // Empty values are refused for every parameter, see `http/validation.ts`.
    if (place === 'query' && schema.type === 'string' && !schema.enum) schema.minLength ??= 1;
    const required = fields?.required?.includes(name) ?? false;
    return { name, in: place, required, ...(description !== undefined && { description }), schema };
  });
}

/** An action without fields still accepts `{}`, so its body is read and checked. */
function takesBody({ method }: AnyOperation): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** The body of `createVm` is named `CreateVmRequest`. */
function requestBodyOf(
  { operation, body }: AnyOperation,
  registry: SchemaRegistry,
): NonNullable<Operation['requestBody']> {
  const name = `${operation[0]!.toUpperCase()}${operation.slice(1)}Request`;
  const schema = registry.toJson(body ? { $id: name, ...body } : NO_BODY);
  const required = body !== undefined && ((body.required?.length ?? 0) > 0 || (body.minProperties ?? 0) > 0);
  return { required, content: { 'application/json': { schema, example: body ? sample(body) : {} } } };
}

/** Returns the 200 reply as JSON: `data`, `pagination` for a list, and any further members. */
export function replyOf(
  { data, example, paginated }: AnyOperation,
  registry: SchemaRegistry,
  besideData: Record<string, TSchema> = {},
): MediaType {
  const beside = Object.entries(besideData);
  const properties: Record<string, JsonSchema> = {
    data: registry.toJson(data),
    ...(paginated && { pagination: { $ref: '#/components/schemas/Pagination' } }),
    ...Object.fromEntries(beside.map(([name, schema]) => [name, registry.toJson(schema)])),
  };
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  };
  if (example === undefined) return { schema };
  return {
    schema,
    example: {
      data: example,
      ...(paginated && { pagination: PAGINATION_EXAMPLE }),
      ...Object.fromEntries(beside.map(([name, schema]) => [name, sample(schema)])),
    },
  };
}

function refusals(
  codes: ReadonlySet<ErrorCode>,
  errors: ErrorResponses,
): Record<string, Response | Reference> {
  const byStatus = Object.groupBy(
    ERROR_CODES.filter((code) => codes.has(code)),
    (code) => ERRORS[code].status,
  );
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, some]) => [status, errors.response(some ?? [])]),
  );
}
