import type { CustomerErrorCode } from '../../platform/errors.ts';
import type { ErrorGuide } from './error-responses.ts';

/** The reference's text about each error code. */
export const ERROR_GUIDE: Record<CustomerErrorCode, ErrorGuide> = {
  idempotency_key_missing: {
    meaning: 'The operation needs an Idempotency-Key header.',
    message: 'The header Idempotency-Key is required.',
  },
  idempotency_key_invalid: {
    meaning: 'The Idempotency-Key is empty, longer than 200 characters or not visible ASCII.',
    message: 'Idempotency-Key must be 1 to 200 visible ASCII characters.',
  },
  account_suspended: {
    meaning: 'The operator has suspended the account: its keys may only read. Ask them why.',
    message: 'The account is suspended. Its keys can only read.',
  },
  invalid_json: { meaning: 'The body is not JSON.', message: 'The request body is not valid JSON.' },
  invalid_cursor: {
    meaning: 'The cursor is not one that this list gave out. Start again without it.',
    message: 'The cursor is not valid.',
  },
  invalid_request: {
    meaning:
      'The request is not valid HTTP, or says a thing twice: `Authorization` and `Host` are sent once, and `Host` is a name or an address.',
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
    meaning: 'The wallet does not hold enough. Nothing was charged; top up and repeat with the same key.',
    message: 'The wallet does not hold enough money.',
    details: { required_minor: 499, available_minor: 120, shortfall_minor: 379, currency: 'EUR' },
  },
  scope_required: {
    meaning: 'The key does not hold the scope of this operation.',
    message: 'Scope vm:create is required for POST /v1/vm',
  },
  not_found: {
    meaning: 'The resource does not exist, or belongs to another account.',
    message: 'The resource does not exist.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method. The header Allow lists those it has.',
    message: 'The method is not allowed here.',
  },
  idempotency_in_progress: {
    meaning: 'The first request with this Idempotency-Key is still being answered. Repeat it shortly.',
    message: 'A request with this Idempotency-Key is in progress.',
  },
  vm_locked: {
    meaning: 'Another job is changing the VM. Wait for it, then repeat.',
    message: 'The VM is locked by another job.',
    details: { job_id: 'job_06f2v3n7k8q1m5x9z4b7c2d0gh', job_kind: 'start' },
  },
  invalid_state: {
    meaning:
      'The VM is in a state in which this is not possible; `details.allowed` lists those in which it is.',
    message: 'This is not possible while the VM is running.',
    details: { status: 'running', allowed: ['stopped', 'error'] },
  },
  vm_must_be_stopped: {
    meaning: 'Stop the VM first, or allow a reboot.',
    message: 'The VM must be stopped, or allow_reboot must be true.',
  },
  same_plan: {
    meaning: 'The VM has this plan or size already, so there is nothing to change.',
    message: 'The VM has this plan or size (s1) already.',
  },
  vm_suspended: {
    meaning: 'The VM is suspended because it is unpaid. It can be read and deleted.',
    message: 'The VM is suspended.',
  },
  payment_due: {
    meaning:
      'The paid period of the VM is over, so its size cannot be changed until it is renewed. Top up the wallet; `auto_renew` must be on.',
    message: 'The paid period is over. The size can be changed once the VM has been renewed.',
  },
  guest_agent_unavailable: {
    meaning: 'The agent inside the VM does not answer. A VM that has just started needs a little longer.',
    message: 'The guest agent does not answer.',
  },
  quota_exceeded: {
    meaning: 'The account or the resource is at its limit.',
    message: 'The limit is reached.',
    details: { resource: 'vms', limit: 10, used: 10 },
  },
  price_changed: {
    meaning: 'The price is above `max_charge_minor`. Nothing was charged; ask for a new quote.',
    message: 'The price is above max_charge_minor.',
  },
  port_in_use: {
    meaning: 'The external port is already forwarded.',
    message: 'The external port is in use.',
  },
  rule_exists: { meaning: 'The same rule is already there.', message: 'An identical rule exists.' },
  ssh_key_exists: {
    meaning: 'The account already holds this public key, under `details.existing_id`.',
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
    meaning: 'The approval is unknown, was decided before, or has expired.',
    message: 'The approval is not pending.',
  },
  body_too_large: {
    meaning:
      'The body is longer than the operation takes (16 KiB, 64 KiB with a key or a message, 96 KiB to create a VM), or has more than 1,000 values.',
    message: 'The request body is too large.',
  },
  uri_too_long: {
    meaning: 'Path and query together are longer than 8 KiB.',
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
  unknown_plan: { meaning: 'The catalog has no such plan.', message: 'The plan is not known.' },
  unknown_template: { meaning: 'The catalog has no such OS image.', message: 'The template is not known.' },
  plan_not_available_in_region: {
    meaning: 'The plan is not sold in this region.',
    message: 'The plan is not available in this region.',
  },
  disk_shrink_not_supported: {
    meaning: 'A disk can grow, but not shrink.',
    message: 'The disk cannot become smaller.',
  },
  idempotency_key_reused: {
    meaning: 'This Idempotency-Key was used before with another body. Use a new one for a new request.',
    message: 'The Idempotency-Key was used with a different request.',
  },
  rate_limit_exceeded: {
    meaning: 'Too many requests. Wait as long as Retry-After says; `details.policy` names the limit.',
    message: 'Too many requests.',
    details: { policy: 'key' },
  },
  internal_error: {
    meaning: 'The service failed. Report the X-Request-Id.',
    message: 'An internal error occurred.',
  },
  service_unavailable: {
    meaning:
      'The service is cut off from its database for the moment. Nothing was committed or charged unless the message says that it may have been; repeat with the same Idempotency-Key.',
    message: 'The service is not available at the moment. Nothing was changed. Try again.',
    details: { retry_after_seconds: 1 },
  },
  compute_unavailable: {
    meaning: 'The compute layer does not answer. Nothing was committed or charged; repeat later.',
    message: 'The compute service is not available.',
    details: { retry_after_seconds: 5 },
  },
  capacity_unavailable: {
    meaning: 'There is no room for the VM at present. Nothing was committed or charged; repeat later.',
    message: 'There is no capacity at present.',
    details: { retry_after_seconds: 60 },
  },
  agent_unavailable: {
    meaning: 'The AI agent is not available. Nothing was committed or charged; repeat later.',
    message: 'The AI agent is not available.',
    details: { retry_after_seconds: 30 },
  },
};
