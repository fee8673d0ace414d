import type { FieldCode } from './field-codes.ts';

/**
 * Every error code with its HTTP status. The OpenAPI documents, the tests and the handlers all read this table, so a
 * code has one status and no endpoint invents its own.
 */
export const ERROR_STATUS = {
  idempotency_key_missing: 400,
  idempotency_key_invalid: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  invalid_request: 400,
  api_key_missing: 401,
  api_key_invalid: 401,
  api_key_expired: 401,
  ip_not_allowed: 401,
  session_required: 401,
  sign_in_failed: 401,
  insufficient_funds: 402,
  scope_required: 403,
  role_required: 403,
  origin_not_allowed: 403,
  confirmation_required: 403,
  second_factor_required: 403,
  sign_up_closed: 403,
  not_found: 404,
  method_not_allowed: 405,
  account_suspended: 409,
  idempotency_in_progress: 409,
  vm_locked: 409,
  invalid_state: 409,
  vm_must_be_stopped: 409,
  vm_suspended: 409,
  payment_due: 409,
  guest_agent_unavailable: 409,
  quota_exceeded: 409,
  same_plan: 409,
  price_changed: 409,
  port_in_use: 409,
  rule_exists: 409,
  ssh_key_exists: 409,
  agent_busy: 409,
  approval_not_pending: 409,
  document_unavailable: 409,
  payment_exists: 409,
  link_invalid: 409,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  validation_failed: 422,
  unknown_plan: 422,
  unknown_template: 422,
  plan_not_available_in_region: 422,
  disk_shrink_not_supported: 422,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
  compute_unavailable: 503,
  capacity_unavailable: 503,
  agent_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
/** Codes that only the panel returns, because it deals with people instead of keys. */
export type PanelErrorCode =
  | 'session_required'
  | 'sign_in_failed'
  | 'role_required'
  | 'origin_not_allowed'
  | 'confirmation_required'
  | 'second_factor_required'
  | 'sign_up_closed'
  | 'link_invalid';
/** Without `payment_exists`, because only the operator books payments. */
export type CustomerErrorCode = Exclude<ErrorCode, 'payment_exists' | PanelErrorCode>;
export type ErrorDetails = Record<string, unknown>;

/** An invalid field, as listed in `details.fields` of a `validation_failed`. */
export interface FieldProblem {
  field: string;
  code: FieldCode;
  message: string;
}

/**
 * A refusal that is meant for the caller. `message` and `details` are public; `context` is for the log only and never
 * reaches a response.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails | undefined;
  readonly context: unknown;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails, context?: unknown) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = details;
    this.context = context;
  }

  /** Returns the body that every error response has. */
  toBody(): { error: { code: ErrorCode; message: string; details?: ErrorDetails } } {
    const error = { code: this.code, message: this.message };
    return { error: this.details === undefined ? error : { ...error, details: this.details } };
  }
}

/**
 * Returns a 404 without a reason: missing resources and those of other accounts must be indistinguishable, byte for
 * byte.
 */
export function notFound(): ApiError {
  return new ApiError('not_found', 'The resource does not exist.');
}

/** Returns a 422 that names each invalid field. */
export function validationFailed(fields: FieldProblem[]): ApiError {
  const first = fields[0];
  const rest = fields.length > 1 ? `; and ${fields.length - 1} more` : '';
  const message = first ? `${first.field}: ${first.message}${rest}` : 'The request is not valid.';
  return new ApiError('validation_failed', message, { fields });
}

/** Returns a 422 for one field. */
export function invalidField(field: string, code: FieldCode, message: string): ApiError {
  return validationFailed([{ field, code, message }]);
}

/** Seconds after which a caller may retry if the engine was full or unreachable. */
const ENGINE_RETRY_SECONDS = 30;

/**
 * Returns a 503 for an engine without free capacity. The response does not reveal how much there is: `context` is for
 * the log.
 */
export function capacityUnavailable(context: string): ApiError {
  const message = 'There is no capacity for this VM at the moment.';
  return new ApiError(
    'capacity_unavailable',
    message,
    { retry_after_seconds: ENGINE_RETRY_SECONDS },
    context,
  );
}

/** Returns a 503 for a compute engine that does not respond; `context` is for the log. */
export function computeUnavailable(context: string): ApiError {
  const message = 'The compute engine is not answering.';
  return new ApiError('compute_unavailable', message, { retry_after_seconds: ENGINE_RETRY_SECONDS }, context);
}
