import type { ErrorCode } from '../../../platform/errors.ts';
import type { JsonSchema } from '../../openapi/document.ts';
import type { ErrorGuide, ErrorVocabulary } from '../../openapi/error-responses.ts';

export const EVERY_RESPONSE = ['Cache-Control'];

const GUIDE: Partial<Record<ErrorCode, ErrorGuide>> = {
  invalid_json: { meaning: 'The body is not JSON.', message: 'The request body is not valid JSON.' },
  invalid_cursor: {
    meaning: 'The cursor is not one that this list gave out.',
    message: 'The cursor is not one that this list returned.',
  },
  invalid_request: { meaning: 'The request is not valid HTTP.', message: 'The request is not valid.' },
  insufficient_funds: {
    meaning: 'The wallet does not hold enough. Nothing was booked.',
    message: 'The wallet does not hold enough money.',
    details: { required_minor: 499, available_minor: 120, shortfall_minor: 379, currency: 'EUR' },
  },
  not_found: { meaning: 'The resource does not exist.', message: 'The resource does not exist.' },
  idempotency_in_progress: {
    meaning: 'The first request with this `key` is still being answered.',
    message: 'The request with the key welcome/1 is still in progress.',
  },
  vm_locked: {
    meaning: 'Another job is changing the VM.',
    message: 'Another job is running on this VM.',
    details: { job_id: 'job_06f2v3n7k8q1m5x9z4b7c2d0gh', job_kind: 'start' },
  },
  vm_suspended: { meaning: 'The VM is suspended because it is unpaid.', message: 'The VM is suspended.' },
  invalid_state: {
    meaning: 'This is not possible in the state in which the thing is, or as the service is configured.',
    message: 'The account is closed.',
    details: { status: 'closed' },
  },
  quota_exceeded: {
    meaning: 'The account or the resource is at its limit.',
    message: 'The limit is reached.',
    details: { resource: 'shield_targets_per_tenant', limit: 10, used: 10 },
  },
  document_unavailable: {
    meaning:
      'The invoice has no PDF or no XML: it is a draft, or its seller or its buyer was not known when it was issued.',
    message: 'A draft has neither a PDF nor XML because it can still change.',
  },
  payment_exists: {
    meaning: 'The account has a payment with this reference, under `details.payment_id`.',
    message: 'The account has a payment with the reference "transfer 4711".',
    details: { payment_id: 'pay_06f2v3n7k8q1m5x9z4b7c2d0gh' },
  },
  body_too_large: {
    meaning: 'The body is longer than 64 KiB, or has more than 1,000 values.',
    message: 'The body is too large.',
  },
  unsupported_media_type: {
    meaning: 'A body must be sent with `Content-Type: application/json`, in UTF-8.',
    message: 'Send the body as Content-Type: application/json.',
  },
  validation_failed: {
    meaning: 'A field or query parameter is missing, unknown or out of range; `details.fields` lists each.',
    message: 'name: is required',
    details: { fields: [{ field: 'name', code: 'required', message: 'is required' }] },
  },
  unknown_template: {
    meaning: 'The catalog has no such template.',
    message: 'There is no template debian-1 to choose.',
  },
  idempotency_key_reused: {
    meaning: 'This `key` was used before for something else.',
    message: 'The key welcome/1 was used for something else.',
  },
  internal_error: { meaning: 'The service failed.', message: 'Something went wrong on our side.' },
  service_unavailable: {
    meaning: 'The service is cut off from its database for the moment, or has too much to do.',
    message: 'The service is not available at the moment. Nothing was changed. Try again.',
    details: { retry_after_seconds: 1 },
  },
  compute_unavailable: {
    meaning: 'The compute engine is not answering or failed to perform the operation.',
    message: 'The compute engine is not answering.',
    details: { retry_after_seconds: 30 },
  },
  capacity_unavailable: {
    meaning: 'The compute engine has no free capacity.',
    message: 'There is no capacity for this VM at the moment.',
    details: { retry_after_seconds: 30 },
  },
};

const DETAILS: JsonSchema = {
  type: 'object',
  description: 'Details of an error, depending on its code.',
  properties: {
    fields: {
      type: 'array',
      description: 'validation_failed: the invalid fields',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
  },
};

const SHARED: Record<string, ErrorCode[]> = {
  NotFound: ['not_found'],
  InvalidRequest: ['invalid_request'],
  InvalidRequestOrCursor: ['invalid_cursor', 'invalid_request'],
  InvalidRequestOrJson: ['invalid_json', 'invalid_request'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  ValidationFailed: ['validation_failed'],
  InternalError: ['internal_error'],
  ServiceUnavailable: ['service_unavailable'],
};

export const OPERATOR_ERRORS: ErrorVocabulary = {
  guide: GUIDE,
  details: DETAILS,
  shared: SHARED,
  headers: () => EVERY_RESPONSE,
};
