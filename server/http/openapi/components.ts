import type { Header, JsonSchema, Parameter, Reference } from './document.ts';

/** The components that operations share, except for errors. */

export const HEADERS: Record<string, Header> = {
  'X-Request-Id': {
    description: 'Identifies this request in the log of the service. Quote it when you contact support.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 64 },
  },
  'X-RateLimit-Limit': {
    description: 'Requests per minute allowed by the tightest limit.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current minute of that limit.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'When that minute ends, in seconds since 1970-01-01T00:00:00Z.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  Allow: {
    description: 'The methods that the path supports.',
    required: true,
    schema: { type: 'string', examples: ['GET, HEAD, POST'] },
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored reply to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Cache-Control': {
    description: 'The response contains a secret and must not be stored.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
};

export const PARAMETERS: Record<string, Parameter> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'Your name for this request. A repetition with the same value returns the first response and is not executed again.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\x20-\\x7e]+$',
      examples: ['5f0c9d0e-6a2b-4c8e-9a51-0c6d4f1e7b32'],
    },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Your own name for this request. If it is longer than 64 characters or contains other characters, a new one is generated.',
    schema: { type: 'string', maxLength: 64 },
  },
};

export const PAGINATION: JsonSchema = {
  type: 'object',
  description: 'Position of this page in its list.',
  additionalProperties: false,
  required: ['limit', 'next_cursor', 'has_more'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Maximum number of items per page' },
    next_cursor: { type: ['string', 'null'], description: 'Send this as `cursor` to get the next page' },
    has_more: { type: 'boolean', description: 'True if there is a next page' },
  },
};
export const PAGINATION_EXAMPLE = { limit: 50, next_cursor: null, has_more: false };

/** Returns references to header components. */
export function headers(...names: string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
