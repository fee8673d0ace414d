/** The part of OpenAPI 3.1 that this service's description uses, as plain data. */

/** A JSON Schema 2020-12 as it appears in the document: data only, with named schemas referred to by `$ref`. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  enum?: unknown[];
  'x-enumDescriptions'?: Readonly<Record<string, string>>;
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

export interface Reference {
  $ref: string;
}

export interface Example {
  summary?: string;
  value: unknown;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Header {
  description: string;
  /** Absent if the header may be missing from the response. */
  required?: true;
  schema: JsonSchema;
}

export interface Response {
  description: string;
  headers: Record<string, Header | Reference>;
  content: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** Absent from an API without keys, as is `security`. */
  'x-required-scope'?: string;
  /** For the panel: who may call, and whether they must have signed in again. */
  'x-access'?: string;
  'x-confirm'?: boolean;
  security?: Record<string, string[]>[];
  parameters: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response | Reference>;
}

export interface Components {
  securitySchemes: Record<string, Record<string, string>>;
  headers: Record<string, Header>;
  parameters: Record<string, Parameter>;
  responses: Record<string, Response>;
  schemas: Record<string, JsonSchema>;
}

export interface Server {
  url: string;
  description: string;
  variables?: Record<string, { default: string; description: string }>;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: Record<string, unknown> & { title: string; version: string; summary: string; description: string };
  servers: Server[];
  security: Record<string, string[]>[];
  tags: { name: string; 'x-displayName': string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Components;
}

/** Returns the component that a `#/components/<kind>/<name>` reference points to. */
export function resolve<K extends keyof Components>(
  document: OpenApiDocument,
  kind: K,
  value: Components[K][string] | Reference,
): Components[K][string] {
  if (!isReference(value)) return value;
  const name = componentName(value.$ref);
  const found = document.components[kind][name];
  if (!found) throw new Error(`${value.$ref} is not in the document`);
  return found as Components[K][string];
}

export function isReference(value: object): value is Reference {
  return '$ref' in value;
}

/** Returns the last part of a reference, the component's name. */
export function componentName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
