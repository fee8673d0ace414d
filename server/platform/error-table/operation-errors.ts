import { CUSTOMERS, type ErrorEntry, EVERYONE, OPERATORS, PANEL } from './entry.ts';

/** Refusals of particular operations. */
export const OPERATION_ERRORS = {
  sign_in_failed: {
    status: 401,
    seenBy: PANEL,
    meaning: 'Address or password is wrong; which of them is not disclosed.',
    message: 'The address or the password is wrong.',
  },
  insufficient_funds: {
    status: 402,
    seenBy: EVERYONE,
    meaning:
      'The wallet is short of money. Nothing was charged. Top up and repeat the request with the same key.',
    message: 'Your wallet is 5.00 EUR short. Top up to continue.',
    details: { required_minor: 499, available_minor: 120, shortfall_minor: 379, currency: 'EUR' },
    operator: {
      meaning: 'The wallet does not hold enough. Nothing was booked.',
      message: 'The wallet does not hold enough money.',
    },
  },
  sign_up_closed: {
    status: 403,
    seenBy: PANEL,
    meaning: 'Sign-up is closed here, or by invitation only.',
    message: 'Only who was invited can sign up.',
  },
  vm_locked: {
    status: 409,
    seenBy: EVERYONE,
    meaning: 'Another job is changing the VM. Wait for it to end, then repeat the request.',
    message: 'The VM is locked by another job.',
    details: { job_id: 'job_06f2v3n7k8q1m5x9z4b7c2d0gh', job_kind: 'start' },
    operator: { meaning: 'Another job is changing the VM.', message: 'Another job is running on this VM.' },
  },
  invalid_state: {
    status: 409,
    seenBy: EVERYONE,
    meaning:
      'This is not possible in the current state of the VM; `details.allowed` lists the states in which it is.',
    message: 'This is not possible while the VM is running.',
    details: { status: 'running', allowed: ['stopped', 'error'] },
    operator: {
      meaning: 'This is not possible in the state in which the thing is, or as the service is configured.',
      message: 'The account is closed.',
      details: { status: 'closed' },
    },
  },
  vm_must_be_stopped: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'Stop the VM first, or allow a reboot.',
    message: 'The VM must be stopped, or allow_reboot must be true.',
  },
  vm_suspended: {
    status: 409,
    seenBy: EVERYONE,
    meaning: 'The VM is suspended because it is unpaid. It can be read and deleted.',
    message: 'The VM is suspended.',
    operator: { meaning: 'The VM is suspended because it is unpaid.' },
  },
  payment_due: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning:
      'The paid period of the VM is over, so its plan or size cannot be changed until it is renewed. Top up the wallet and make sure that `auto_renew` is on.',
    message: 'The paid period is over. You can change the plan or size once the VM has been renewed.',
  },
  guest_agent_unavailable: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The agent inside the VM is not answering. A VM that has just started needs a little longer.',
    message: 'The guest agent is not answering.',
  },
  quota_exceeded: {
    status: 409,
    seenBy: EVERYONE,
    meaning: 'The account or the resource has reached its limit.',
    message: 'The limit is reached.',
    details: { resource: 'vms', limit: 10, used: 10 },
    operator: {
      meaning: 'The account or the resource is at its limit.',
      details: { resource: 'shield_targets_per_tenant', limit: 10, used: 10 },
    },
  },
  same_plan: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The VM already has this plan or size, so there is nothing to change.',
    message: 'The VM already has this plan or size (s1).',
  },
  price_changed: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The price is above `max_charge_minor`. Nothing was charged. Request a new quote.',
    message: 'The price is above max_charge_minor.',
  },
  port_in_use: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The external port is already forwarded.',
    message: 'The external port is in use.',
  },
  rule_exists: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'An identical rule already exists.',
    message: 'An identical rule already exists.',
  },
  ssh_key_exists: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The account already has this public key, under `details.existing_id`.',
    message: 'The SSH key is already stored.',
    details: { existing_id: 'key_06f2v3n7k8q1m5x9z4b7c2d0gh' },
  },
  agent_busy: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The AI agent is running on this VM. Wait for its run to end.',
    message: 'The AI agent is already running.',
  },
  approval_not_pending: {
    status: 409,
    seenBy: CUSTOMERS,
    meaning: 'The approval is unknown, has already been decided, or has expired.',
    message: 'The approval is not pending.',
  },
  document_unavailable: {
    status: 409,
    seenBy: EVERYONE,
    meaning:
      'The invoice has no PDF or no XML: it is a draft, or the seller or the address of the buyer was not known when it was issued.',
    message: 'INV-000007 has no XML: it has no address of the buyer.',
    operator: {
      meaning:
        'The invoice has no PDF or no XML: it is a draft, or its seller or its buyer was not known when it was issued.',
      message: 'A draft has neither a PDF nor XML because it can still change.',
    },
  },
  payment_exists: {
    status: 409,
    seenBy: OPERATORS,
    meaning: 'The account has a payment with this reference, under `details.payment_id`.',
    message: 'The account has a payment with the reference "transfer 4711".',
    details: { payment_id: 'pay_06f2v3n7k8q1m5x9z4b7c2d0gh' },
  },
  link_invalid: {
    status: 409,
    seenBy: PANEL,
    meaning:
      'The link does not work: `details.reason` says whether it was used or replaced, has expired, is not known, or is for an address that has an account already.',
    message: 'The link has already been used or was replaced by a newer one.',
    details: { reason: 'used' },
  },
  unknown_plan: {
    status: 422,
    seenBy: CUSTOMERS,
    meaning: 'The catalog has no such plan.',
    message: 'There is no plan x9 on offer.',
  },
  unknown_template: {
    status: 422,
    seenBy: EVERYONE,
    meaning: 'The catalog has no such OS image.',
    message: 'There is no template x9 on offer.',
    operator: {
      meaning: 'The catalog has no such template.',
      message: 'There is no template debian-1 to choose.',
    },
  },
  plan_not_available_in_region: {
    status: 422,
    seenBy: CUSTOMERS,
    meaning: 'The plan is not available in this region.',
    message: 'The plan is not available in this region.',
  },
  disk_shrink_not_supported: {
    status: 422,
    seenBy: CUSTOMERS,
    meaning: 'A disk can grow, but not shrink.',
    message: 'The disk has 40 GB and cannot be shrunk.',
  },
  idempotency_key_reused: {
    status: 422,
    seenBy: EVERYONE,
    meaning: 'This Idempotency-Key was already used with another body. Use a new one for a new request.',
    message: 'The Idempotency-Key was used with a different request.',
    operator: {
      meaning: 'This `key` was used before for something else.',
      message: 'The key welcome/1 was used for something else.',
    },
  },
  compute_unavailable: {
    status: 503,
    seenBy: EVERYONE,
    meaning: 'The compute engine is not answering. Nothing was done or charged. Try again later.',
    message: 'The compute service is not available.',
    details: { retry_after_seconds: 5 },
    operator: {
      meaning: 'The compute engine is not answering or failed to perform the operation.',
      message: 'The compute engine is not answering.',
      details: { retry_after_seconds: 30 },
    },
  },
  capacity_unavailable: {
    status: 503,
    seenBy: EVERYONE,
    meaning: 'There is no capacity for the VM at the moment. Nothing was done or charged. Try again later.',
    message: 'There is no capacity for this VM at the moment.',
    details: { retry_after_seconds: 60 },
    operator: { meaning: 'The compute engine has no free capacity.', details: { retry_after_seconds: 30 } },
  },
  agent_unavailable: {
    status: 503,
    seenBy: CUSTOMERS,
    meaning: 'The AI agent is not available. Nothing was done or charged. Try again later.',
    message: 'The AI agent is not available.',
    details: { retry_after_seconds: 30 },
  },
} as const satisfies Record<string, ErrorEntry>;
