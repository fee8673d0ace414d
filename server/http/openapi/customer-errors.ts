import type { ErrorCode } from '../../platform/error-codes.ts';
import type { Description } from './description.ts';
import type { JsonSchema } from './document.ts';

const integer = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });
const amount = (description: string): JsonSchema => ({ ...integer(description), format: 'int64' });

/** Other members may be added; those named here mean the same everywhere. */
export const ERROR_DETAILS: JsonSchema = {
  type: 'object',
  description: 'Details of an error, depending on its code.',
  properties: {
    fields: {
      type: 'array',
      description: 'validation_failed: the invalid fields',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
    policy: {
      $ref: '#/components/schemas/RateLimitPolicy',
      description: 'rate_limit_exceeded: the limit that was exceeded',
    },
    retry_after_seconds: integer('409 and 503: when to retry'),
    required_minor: amount('insufficient_funds: the cost of the operation, in minor units'),
    available_minor: {
      type: 'integer',
      format: 'int64',
      description: 'insufficient_funds: the spendable amount of the wallet',
    },
    shortfall_minor: amount('insufficient_funds: the amount you are short'),
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'insufficient_funds: ISO 4217 code' },
    resource: { type: 'string', description: 'quota_exceeded: the limited resource' },
    limit: integer('quota_exceeded: the limit'),
    used: integer('quota_exceeded: the current number'),
    status: { type: 'string', description: 'invalid_state: the state of the VM' },
    allowed: {
      type: 'array',
      items: { type: 'string' },
      description: 'invalid_state: the states in which the operation is possible',
    },
    job_id: { type: 'string', description: 'vm_locked: the job that holds the VM' },
    job_kind: { type: 'string', description: 'vm_locked: the operation of that job' },
    existing_id: { type: 'string', description: 'ssh_key_exists: the key that is already stored' },
  },
};

/** Schemas that the details refer to. */
const NAMED_DETAILS: Record<string, JsonSchema> = {
  RateLimitPolicy: { type: 'string', enum: ['key', 'account', 'ip'] },
};

/** All refusals of operations, by the name of their component. */
const SHARED_REFUSALS: Record<string, ErrorCode[]> = {
  Unauthorized: ['api_key_missing', 'api_key_invalid', 'api_key_expired', 'ip_not_allowed'],
  ScopeRequired: ['scope_required'],
  NotFound: ['not_found'],
  MethodNotAllowed: ['method_not_allowed'],
  InvalidRequest: ['invalid_request'],
  InvalidRequestOrJson: ['invalid_json', 'invalid_request'],
  InvalidRequestOrCursor: ['invalid_cursor', 'invalid_request'],
  InvalidRequestJsonOrIdempotencyKey: [
    'idempotency_key_missing',
    'idempotency_key_invalid',
    'invalid_json',
    'invalid_request',
  ],
  InsufficientFunds: ['insufficient_funds'],
  AccountSuspended: ['account_suspended'],
  DocumentUnavailable: ['document_unavailable'],
  CreateVmConflict: [
    'account_suspended',
    'idempotency_in_progress',
    'invalid_state',
    'quota_exceeded',
    'price_changed',
  ],
  DeleteVmConflict: ['account_suspended', 'idempotency_in_progress', 'vm_locked'],
  ChangeVmConflict: [
    'account_suspended',
    'idempotency_in_progress',
    'vm_locked',
    'invalid_state',
    'vm_must_be_stopped',
    'vm_suspended',
    'payment_due',
    'quota_exceeded',
    'same_plan',
    'price_changed',
  ],
  StateConflict: ['account_suspended', 'invalid_state', 'vm_suspended'],
  JobConflict: ['account_suspended', 'vm_locked', 'invalid_state', 'vm_suspended'],
  GuestJobConflict: [
    'account_suspended',
    'vm_locked',
    'invalid_state',
    'vm_suspended',
    'guest_agent_unavailable',
  ],
  SnapshotConflict: ['account_suspended', 'vm_locked', 'invalid_state', 'vm_suspended', 'quota_exceeded'],
  ConsoleShareConflict: ['account_suspended', 'invalid_state', 'vm_suspended', 'quota_exceeded'],
  FirewallRuleConflict: [
    'account_suspended',
    'invalid_state',
    'vm_suspended',
    'quota_exceeded',
    'rule_exists',
  ],
  PortForwardConflict: [
    'account_suspended',
    'invalid_state',
    'vm_suspended',
    'quota_exceeded',
    'port_in_use',
  ],
  SshKeyConflict: ['account_suspended', 'quota_exceeded', 'ssh_key_exists'],
  ShieldRuleConflict: ['account_suspended', 'quota_exceeded', 'rule_exists'],
  AgentBusy: ['account_suspended', 'agent_busy'],
  AgentConflict: [
    'account_suspended',
    'invalid_state',
    'vm_suspended',
    'guest_agent_unavailable',
    'agent_busy',
    'approval_not_pending',
  ],
  BodyTooLarge: ['body_too_large'],
  UriTooLong: ['uri_too_long'],
  UnsupportedMediaType: ['unsupported_media_type'],
  ValidationFailed: ['validation_failed'],
  UnknownPlan: ['validation_failed', 'unknown_plan'],
  CreateVmRefused: [
    'validation_failed',
    'unknown_plan',
    'unknown_template',
    'plan_not_available_in_region',
    'idempotency_key_reused',
  ],
  ChangePlanRefused: [
    'validation_failed',
    'unknown_plan',
    'plan_not_available_in_region',
    'disk_shrink_not_supported',
    'idempotency_key_reused',
  ],
  ChangeCustomRefused: ['validation_failed', 'disk_shrink_not_supported', 'idempotency_key_reused'],
  DeleteVmRefused: ['validation_failed', 'idempotency_key_reused'],
  RateLimitExceeded: ['rate_limit_exceeded'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  ServiceUnavailable: ['service_unavailable'],
  AgentUnavailable: ['service_unavailable', 'agent_unavailable'],
  ComputeUnavailable: ['service_unavailable', 'compute_unavailable'],
  CapacityUnavailable: ['service_unavailable', 'capacity_unavailable'],
  ComputeOrCapacityUnavailable: ['service_unavailable', 'compute_unavailable', 'capacity_unavailable'],
};

const EVERY_OPERATION: ErrorCode[] = [
  'invalid_request',
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'ip_not_allowed',
  'scope_required',
  // Belongs to the path with another method, but OpenAPI has no place for the responses of a path.
  'method_not_allowed',
  'uri_too_long',
  'validation_failed',
  'rate_limit_exceeded',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/** The errors of the customers' API. */
export const CUSTOMER_ERRORS: Pick<
  Description,
  'everyOperation' | 'statusHeaders' | 'details' | 'namedDetails' | 'shared'
> = {
  everyOperation: EVERY_OPERATION,
  statusHeaders: { 401: ['WWW-Authenticate'], 405: ['Allow'], 429: ['Retry-After'] },
  details: ERROR_DETAILS,
  namedDetails: NAMED_DETAILS,
  shared: SHARED_REFUSALS,
};
