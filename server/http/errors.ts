import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseAwayError } from '../db/database.ts';
import { ApiError } from '../platform/errors.ts';

/** Fastify's own refusals as our error codes. */
const FASTIFY_ERRORS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('body_too_large', 'The body is too large.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('invalid_request', 'The length of the body does not match Content-Length.'),
};

/** Converts any error to the public shape; errors not meant for callers become `internal_error`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseAwayError) return unavailable(error);
  const known = FASTIFY_ERRORS[(error as FastifyError)?.code];
  if (known) return known();
  const status = (error as FastifyError)?.statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError('invalid_request', 'The request is not valid.');
  return new ApiError('internal_error', 'Something went wrong on our side.', undefined, error);
}

/** The time it takes to notice that the database can be reached again. */
const RETRY_AFTER_SECONDS = 1;

function unavailable(error: DatabaseAwayError): ApiError {
  const outcome = error.outcomeUnknown
    ? 'The request may or may not have taken effect. Try again with the same Idempotency-Key, or check first.'
    : 'Nothing was changed. Try again.';
  return new ApiError(
    'service_unavailable',
    `The service is not available at the moment. ${outcome}`,
    { retry_after_seconds: RETRY_AFTER_SECONDS },
    error.message,
  );
}

/** Answers an error. Its private part goes to the log, with the request's id. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const apiError = toApiError(error);
  // The component that notices an outage logs it once; a stack trace for each refused request would only bury that.
  if (error instanceof DatabaseAwayError)
    request.log.warn({ reason: error.message }, 'refused without the database');
  else if (apiError.status >= 500) request.log.error({ err: error }, 'request failed');
  else if (apiError.context !== undefined)
    request.log.info({ context: apiError.context, code: apiError.code }, 'refused');
  // Only for errors that no rate limit caused: a rate limit has already set the header.
  const wait = apiError.details?.retry_after_seconds;
  if (apiError.status === 429 && typeof wait === 'number') reply.header('retry-after', wait);
  return reply
    .code(apiError.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(apiError.toBody()));
}
