import { ERROR_STATUS, type ErrorCode } from '../../platform/errors.ts';
import { EVERY_RESPONSE, headers } from './components.ts';
import type { Example, JsonSchema, Reference, Response } from './document.ts';
import { ERROR_GUIDE } from './error-guide.ts';

/** The error shape and the refusals: what every status but 200 looks like. */

const integer = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'The one shape of every error.',
  additionalProperties: false,
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      additionalProperties: false,
      required: ['code', 'message'],
      properties: {
        code: {
          type: 'string',
          description: 'What went wrong; decide by this',
          enum: Object.keys(ERROR_STATUS),
        },
        message: { type: 'string', description: 'The same for a human reader; its wording may change' },
        details: { $ref: '#/components/schemas/ErrorDetails' },
      },
    },
  },
};

/** Other members may be added; those named here have one meaning wherever they stand. */
const ERROR_DETAILS: JsonSchema = {
  type: 'object',
  description: 'Facts about an error; which ones depends on its code.',
  properties: {
    fields: {
      type: 'array',
      description: 'validation_failed: each field that was wrong',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
    policy: {
      type: 'string',
      enum: ['key', 'account', 'ip'],
      description: 'rate_limit_exceeded: the limit that was exceeded',
    },
    retry_after_seconds: integer('409 and 503: when to try again'),
    required_minor: integer('insufficient_funds: what the operation costs, in minor units'),
    available_minor: { type: 'integer', description: 'insufficient_funds: what the wallet can spend' },
    shortfall_minor: integer('insufficient_funds: what is missing'),
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'insufficient_funds: ISO 4217 code' },
    resource: { type: 'string', description: 'quota_exceeded: what there is too much of' },
    limit: integer('quota_exceeded: how many are allowed'),
    used: integer('quota_exceeded: how many there are'),
    status: { type: 'string', description: 'invalid_state: the state of the VM' },
    allowed: {
      type: 'array',
      items: { type: 'string' },
      description: 'invalid_state: the states in which the operation is possible',
    },
    job_id: { type: 'string', description: 'vm_locked: the job that holds the VM' },
    job_kind: { type: 'string', description: 'vm_locked: what that job does' },
    existing_id: { type: 'string', description: 'ssh_key_exists: the key that is already stored' },
  },
};

const FIELD_PROBLEM: JsonSchema = {
  type: 'object',
  description: 'One field that was wrong.',
  additionalProperties: false,
  required: ['field', 'code', 'message'],
  properties: {
    field: { type: 'string', description: 'Path of the field, such as `rate.pps`' },
    code: { type: 'string', description: 'The rule that it breaks' },
    message: { type: 'string', description: 'The same for a human reader' },
  },
};

export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  Error: ERROR_SCHEMA,
  ErrorDetails: ERROR_DETAILS,
  FieldProblem: FIELD_PROBLEM,
};

/** The refusals that many operations have in common: each is one component, whose name this is. */
const SHARED_REFUSALS: Record<string, ErrorCode[]> = {
  Unauthorized: ['api_key_missing', 'api_key_invalid', 'api_key_expired', 'ip_not_allowed'],
  ScopeRequired: ['scope_required'],
  NotFound: ['not_found'],
  MethodNotAllowed: ['method_not_allowed'],
  InvalidRequest: ['invalid_request'],
  InvalidRequestOrJson: ['invalid_json', 'invalid_request'],
  BodyTooLarge: ['body_too_large'],
  UriTooLong: ['uri_too_long'],
  UnsupportedMediaType: ['unsupported_media_type'],
  ValidationFailed: ['validation_failed'],
  RateLimitExceeded: ['rate_limit_exceeded'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  ServiceUnavailable: ['service_unavailable'],
};

export const ERROR_RESPONSES: Record<string, Response> = Object.fromEntries(
  Object.entries(SHARED_REFUSALS).map(([name, codes]) => [name, describeErrors(codes)]),
);

/** The response for these codes, all of one status: the shared one where there is one. */
export function errorResponse(codes: ErrorCode[]): Response | Reference {
  const shared = Object.entries(SHARED_REFUSALS).find(
    ([, others]) => others.length === codes.length && others.every((code) => codes.includes(code)),
  );
  return shared ? { $ref: `#/components/responses/${shared[0]}` } : describeErrors(codes);
}

function describeErrors(codes: ErrorCode[]): Response {
  const extra: Record<number, string[]> = {
    401: ['WWW-Authenticate'],
    405: ['Allow'],
    429: ['Retry-After'],
  };
  const status = ERROR_STATUS[codes[0]!];
  const narrowed = { type: 'object', properties: { code: { type: 'string', enum: codes } } };
  return {
    description: codes.map((code) => ERROR_GUIDE[code].meaning).join(' '),
    headers: headers(...EVERY_RESPONSE, ...(extra[status] ?? [])),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { error: narrowed } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, errorExample(code)])),
      },
    },
  };
}

function errorExample(code: ErrorCode): Example {
  const { meaning, message, details } = ERROR_GUIDE[code];
  return { summary: meaning, value: { error: { code, message, ...(details && { details }) } } };
}
