import { ERRORS, type ErrorCode } from './error-codes.ts';
import type { FieldCode } from './field-codes.ts';

export type { ErrorCode };

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
    this.status = ERRORS[code].status;
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
