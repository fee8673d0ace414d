import { CUSTOMERS, type ErrorEntry, EVERYONE, PANEL } from './entry.ts';

/** Refusals that do not depend on what an operation does: of its caller, its form, or the state of the service. */
export const REQUEST_ERRORS = {
  idempotency_key_missing: {
    status: 400,
    seenBy: CUSTOMERS,
    meaning: 'The operation needs an Idempotency-Key header.',
    message: 'The header Idempotency-Key is required.',
  },
  idempotency_key_invalid: {
    status: 400,
    seenBy: CUSTOMERS,
    meaning: 'The Idempotency-Key is empty, longer than 200 characters or not printable ASCII.',
    message: 'Idempotency-Key must be 1 to 200 printable ASCII characters.',
  },
  invalid_json: {
    status: 400,
    seenBy: EVERYONE,
    meaning: 'The body is not JSON.',
    message: 'The request body is not valid JSON.',
  },
  invalid_cursor: {
    status: 400,
    seenBy: EVERYONE,
    meaning: 'The cursor was not returned by this list. Start again without it.',
    message: 'The cursor is not valid.',
    operator: {
      meaning: 'The cursor is not one that this list gave out.',
      message: 'The cursor is not one that this list returned.',
    },
  },
  invalid_request: {
    status: 400,
    seenBy: EVERYONE,
    meaning:
      'The request is not valid HTTP or repeats a header: `Authorization` and `Host` must be sent once, and `Host` must be a name or an address.',
    message: 'The request is malformed.',
    operator: { meaning: 'The request is not valid HTTP.', message: 'The request is not valid.' },
  },
  api_key_missing: {
    status: 401,
    seenBy: CUSTOMERS,
    meaning: 'There is no `Authorization: Bearer` header.',
    message: 'An API key is required.',
  },
  api_key_invalid: {
    status: 401,
    seenBy: CUSTOMERS,
    meaning: 'The key is unknown or revoked.',
    message: 'The API key is not valid.',
  },
  api_key_expired: {
    status: 401,
    seenBy: CUSTOMERS,
    meaning: 'The key has expired.',
    message: 'The API key has expired.',
  },
  ip_not_allowed: {
    status: 401,
    seenBy: CUSTOMERS,
    meaning: 'The key may not be used from this address.',
    message: 'This API key may not be used from this address.',
  },
  session_required: {
    status: 401,
    seenBy: PANEL,
    meaning: 'There is no session, or it is over. Sign in.',
    message: 'Sign in first: you have no session, or it has expired.',
  },
  scope_required: {
    status: 403,
    seenBy: CUSTOMERS,
    meaning: 'The key does not have the scope of this operation.',
    message: 'Scope vm:create is required for POST /v1/vm',
  },
  role_required: {
    status: 403,
    seenBy: PANEL,
    meaning: 'The role in this account does not allow it; `details.required_role` does.',
    message: 'The role viewer may not do this; it takes the role operator.',
    details: { role: 'viewer', required_role: 'operator' },
  },
  origin_not_allowed: {
    status: 403,
    seenBy: PANEL,
    meaning: 'The request does not come from a page of this service.',
    message: 'Only pages of this service may make this request.',
  },
  confirmation_required: {
    status: 403,
    seenBy: PANEL,
    meaning: 'Prove once more who you are, by confirmSession, and repeat.',
    message: 'Sign in again first.',
  },
  second_factor_required: {
    status: 403,
    seenBy: PANEL,
    meaning: 'An operator does nothing before they have a second factor.',
    message: 'Set up a second factor first: a passkey, or a password and an authenticator app.',
  },
  not_found: {
    status: 404,
    seenBy: EVERYONE,
    meaning: 'The resource does not exist or belongs to another account.',
    message: 'The resource does not exist.',
    operator: { meaning: 'The resource does not exist.' },
  },
  method_not_allowed: {
    status: 405,
    seenBy: CUSTOMERS,
    meaning: 'The path exists, but not with this method. The header Allow lists the supported methods.',
    message: 'The method is not allowed here.',
  },
  account_suspended: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The operator has suspended the account. Its keys can only read. Contact the operator.',
    message: 'The account is suspended. Its keys can only read.',
  },
  idempotency_in_progress: {
    status: 409,
    seenBy: EVERYONE,
    meaning: 'The first request with this Idempotency-Key is still in progress. Repeat it shortly.',
    message: 'A request with this Idempotency-Key is in progress.',
    operator: {
      meaning: 'The first request with this `key` is still being answered.',
      message: 'The request with the key welcome/1 is still in progress.',
    },
  },
  body_too_large: {
    status: 413,
    seenBy: EVERYONE,
    meaning:
      'The body is longer than the operation allows (64 KiB, 256 KiB to create a VM), or has more than 1,000 values.',
    message: 'The request body is too large.',
    operator: {
      meaning: 'The body is longer than 64 KiB, or has more than 1,000 values.',
      message: 'The body is too large.',
    },
  },
  uri_too_long: {
    status: 414,
    seenBy: CUSTOMERS,
    meaning: 'The path and query together are longer than 8 KiB.',
    message: 'The path and query have more than 8192 characters.',
  },
  unsupported_media_type: {
    status: 415,
    seenBy: EVERYONE,
    meaning:
      'A body must be sent with `Content-Type: application/json`, in UTF-8, without a `Content-Encoding`.',
    message: 'The request body must be application/json.',
    operator: {
      meaning: 'A body must be sent with `Content-Type: application/json`, in UTF-8.',
      message: 'Send the body as Content-Type: application/json.',
    },
  },
  validation_failed: {
    status: 422,
    seenBy: EVERYONE,
    meaning: 'A field or query parameter is missing, unknown or out of range; `details.fields` lists each.',
    message: 'hostname: is required',
    details: { fields: [{ field: 'hostname', code: 'required', message: 'is required' }] },
    operator: {
      message: 'name: is required',
      details: { fields: [{ field: 'name', code: 'required', message: 'is required' }] },
    },
  },
  rate_limit_exceeded: {
    status: 429,
    seenBy: CUSTOMERS,
    meaning:
      'Too many requests. Wait for the number of seconds in Retry-After; `details.policy` names the limit.',
    message: 'Too many requests.',
    details: { policy: 'key' },
  },
  headers_too_large: {
    status: 431,
    seenBy: CUSTOMERS,
    meaning: 'The headers are longer than 16 KiB.',
    message: 'The headers are too large.',
  },
  internal_error: {
    status: 500,
    seenBy: EVERYONE,
    meaning: 'The service failed. Report the X-Request-Id to support.',
    message: 'An internal error occurred.',
    operator: { meaning: 'The service failed.', message: 'Something went wrong on our side.' },
  },
  service_unavailable: {
    status: 503,
    seenBy: EVERYONE,
    meaning:
      'The service cannot reach its database at the moment. Nothing was done or charged unless the message says that it may have been. Repeat the request with the same Idempotency-Key.',
    message: 'The service is not available at the moment. Nothing was changed. Try again.',
    details: { retry_after_seconds: 1 },
    operator: { meaning: 'The service is cut off from its database for the moment, or has too much to do.' },
  },
} as const satisfies Record<string, ErrorEntry>;
