import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.ts';

/** Fastify's own refusals in our codes. */
const FASTIFY_ERRORS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('body_too_large', 'The body is too large.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('invalid_request', 'The body is not as long as Content-Length says.'),
};

/** Any error as the one public shape; what is not meant for callers becomes `internal_error`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = FASTIFY_ERRORS[(error as FastifyError)?.code];
  if (known) return known();
  const status = (error as FastifyError)?.statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError('invalid_request', 'The request is not valid.');
  return new ApiError('internal_error', 'Something went wrong on our side.', undefined, error);
}

/** Answers an error. Its private part goes to the log, with the request's id. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const apiError = toApiError(error);
  if (apiError.status >= 500) request.log.error({ err: error }, 'request failed');
  else if (apiError.context !== undefined)
    request.log.info({ context: apiError.context, code: apiError.code }, 'refused');
  return reply
    .code(apiError.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(apiError.toBody()));
}
