import type { CustomerErrorCode } from '../../platform/errors.ts';
import type { ErrorGuide } from './error-responses.ts';

/** The reference's text about each error code. */
export const ERROR_GUIDE: Record<CustomerErrorCode, ErrorGuide> = {
  idempotency_key_missing: {
    meaning: 'The operation needs an Idempotency-Key header.',
    message: 'The header Idempotency-Key is required.',
  },
  idempotency_key_invalid: {
    meaning: 'The Idempotency-Key is empty, longer than 200 characters or not printable ASCII.',
    message: 'Idempotency-Key must be 1 to 200 printable ASCII characters.',
  },
  account_suspended: {
    meaning: 'The operator has suspended the account. Its keys can only read. Contact the operator.',
    message: 'The account is suspended. Its keys can only read.',
  },
  invalid_json: { meaning: 'The body is not JSON.', message: 'The request body is not valid JSON.' },
  invalid_cursor: {
    meaning: 'The cursor was not returned by this list. Start again without it.',
    message: 'The cursor is not valid.',
  },
  invalid_request: {
    meaning:
      'The request is not valid HTTP or repeats a header: `Authorization` and `Host` must be sent once, and `Host` must be a name or an address.',
    message: 'The request is malformed.',
  },
  api_key_missing: {
    meaning: 'There is no `Authorization: Bearer` header.',
    message: 'An API key is required.',
  },
  api_key_invalid: { meaning: 'The key is unknown or revoked.', message: 'The API key is not valid.' },
  api_key_expired: { meaning: 'The key has expired.', message: 'The API key has expired.' },
  ip_not_allowed: {
    meaning: 'The key may not be used from this address.',
    message: 'This API key may not be used from this address.',
  },
  insufficient_funds: {
    meaning:
      'The wallet is short of money. Nothing was charged. Top up and repeat the request with the same key.',
    message: 'Your wallet is 5.00 EUR short. Top up to continue.',
    details: { required_minor: 499, available_minor: 120, shortfall_minor: 379, currency: 'EUR' },
  },
  scope_required: {
    meaning: 'The key does not have the scope of this operation.',
    message: 'Scope vm:create is required for POST /v1/vm',
  },
  not_found: {
    meaning: 'The resource does not exist or belongs to another account.',
    message: 'The resource does not exist.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method. The header Allow lists the supported methods.',
    message: 'The method is not allowed here.',
  },
  idempotency_in_progress: {
    meaning: 'The first request with this Idempotency-Key is still in progress. Repeat it shortly.',
    message: 'A request with this Idempotency-Key is in progress.',
  },
  vm_locked: {
    meaning: 'Another job is changing the VM. Wait for it to end, then repeat the request.',
    message: 'The VM is locked by another job.',
    details: { job_id: 'job_06f2v3n7k8q1m5x9z4b7c2d0gh', job_kind: 'start' },
  },
  invalid_state: {
    meaning:
      'This is not possible in the current state of the VM; `details.allowed` lists the states in which it is.',
    message: 'This is not possible while the VM is running.',
    details: { status: 'running', allowed: ['stopped', 'error'] },
  },
  vm_must_be_stopped: {
    meaning: 'Stop the VM first, or allow a reboot.',
    message: 'The VM must be stopped, or allow_reboot must be true.',
  },
  same_plan: {
    meaning: 'The VM already has this plan or size, so there is nothing to change.',
    message: 'The VM already has this plan or size (s1).',
  },
  vm_suspended: {
    meaning: 'The VM is suspended because it is unpaid. It can be read and deleted.',
    message: 'The VM is suspended.',
  },
  payment_due: {
    meaning:
      'The paid period of the VM is over, so its plan or size cannot be changed until it is renewed. Top up the wallet and make sure that `auto_renew` is on.',
    message: 'The paid period is over. You can change the plan or size once the VM has been renewed.',
  },
  guest_agent_unavailable: {
    meaning: 'The agent inside the VM is not answering. A VM that has just started needs a little longer.',
    message: 'The guest agent is not answering.',
  },
  quota_exceeded: {
    meaning: 'The account or the resource has reached its limit.',
    message: 'The limit is reached.',
    details: { resource: 'vms', limit: 10, used: 10 },
  },
  price_changed: {
    meaning: 'The price is above `max_charge_minor`. Nothing was charged. Request a new quote.',
    message: 'The price is above max_charge_minor.',
  },
  port_in_use: {
    meaning: 'The external port is already forwarded.',
    message: 'The external port is in use.',
  },
  rule_exists: { meaning: 'An identical rule already exists.', message: 'An identical rule already exists.' },
  ssh_key_exists: {
    meaning: 'The account already has this public key, under `details.existing_id`.',
    message: 'The SSH key is already stored.',
    details: { existing_id: 'key_06f2v3n7k8q1m5x9z4b7c2d0gh' },
  },
  agent_busy: {
    meaning: 'The AI agent is running on this VM. Wait for its run to end.',
    message: 'The AI agent is already running.',
  },
  document_unavailable: {
    meaning:
      'The invoice has no PDF or no XML: it is a draft, or the seller or the address of the buyer was not known when it was issued.',
    message: 'INV-000007 has no XML: it has no address of the buyer.',
  },
  approval_not_pending: {
    meaning: 'The approval is unknown, has already been decided, or has expired.',
    message: 'The approval is not pending.',
  },
  body_too_large: {
    meaning:
      'The body is longer than the operation allows (64 KiB, 256 KiB to create a VM), or has more than 1,000 values.',
    message: 'The request body is too large.',
  },
  uri_too_long: {
    meaning: 'The path and query together are longer than 8 KiB.',
    message: 'The path and query have more than 8192 characters.',
  },
  headers_too_large: {
    meaning: 'The headers are longer than 16 KiB.',
    message: 'The headers are too large.',
  },
  unsupported_media_type: {
    meaning:
      'A body must be sent with `Content-Type: application/json`, in UTF-8, without a `Content-Encoding`.',
    message: 'The request body must be application/json.',
  },
  validation_failed: {
    meaning: 'A field or query parameter is missing, unknown or out of range; `details.fields` lists each.',
    message: 'hostname: is required',
    details: { fields: [{ field: 'hostname', code: 'required', message: 'is required' }] },
  },
  unknown_plan: { meaning: 'The catalog has no such plan.', message: 'There is no plan x9 on offer.' },
  unknown_template: {
    meaning: 'The catalog has no such OS image.',
    message: 'There is no template x9 on offer.',
  },
  plan_not_available_in_region: {
    meaning: 'The plan is not available in this region.',
    message: 'The plan is not available in this region.',
  },
  disk_shrink_not_supported: {
    meaning: 'A disk can grow, but not shrink.',
    message: 'The disk has 40 GB and cannot be shrunk.',
  },
  idempotency_key_reused: {
    meaning: 'This Idempotency-Key was already used with another body. Use a new one for a new request.',
    message: 'The Idempotency-Key was used with a different request.',
  },
  rate_limit_exceeded: {
    meaning:
      'Too many requests. Wait for the number of seconds in Retry-After; `details.policy` names the limit.',
    message: 'Too many requests.',
    details: { policy: 'key' },
  },
  internal_error: {
    meaning: 'The service failed. Report the X-Request-Id to support.',
    message: 'An internal error occurred.',
  },
  service_unavailable: {
    meaning:
      'The service cannot reach its database at the moment. Nothing was done or charged unless the message says that it may have been. Repeat the request with the same Idempotency-Key.',
    message: 'The service is not available at the moment. Nothing was changed. Try again.',
    details: { retry_after_seconds: 1 },
  },
  compute_unavailable: {
    meaning: 'The compute engine is not answering. Nothing was done or charged. Try again later.',
    message: 'The compute service is not available.',
    details: { retry_after_seconds: 5 },
  },
  capacity_unavailable: {
    meaning: 'There is no capacity for the VM at the moment. Nothing was done or charged. Try again later.',
    message: 'There is no capacity for this VM at the moment.',
    details: { retry_after_seconds: 60 },
  },
  agent_unavailable: {
    meaning: 'The AI agent is not available. Nothing was done or charged. Try again later.',
    message: 'The AI agent is not available.',
    details: { retry_after_seconds: 30 },
  },
};
