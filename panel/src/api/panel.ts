// Made from the endpoints of the service by `npm run generate`: do not edit.

/** The one shape of every error. */
export interface Error {
  error: { code: 'idempotency_key_missing' | 'idempotency_key_invalid' | 'invalid_json' | 'invalid_cursor' | 'invalid_request' | 'api_key_missing' | 'api_key_invalid' | 'api_key_expired' | 'ip_not_allowed' | 'session_required' | 'sign_in_failed' | 'insufficient_funds' | 'scope_required' | 'role_required' | 'origin_not_allowed' | 'confirmation_required' | 'sign_up_closed' | 'not_found' | 'method_not_allowed' | 'account_suspended' | 'idempotency_in_progress' | 'vm_locked' | 'invalid_state' | 'vm_must_be_stopped' | 'vm_suspended' | 'payment_due' | 'guest_agent_unavailable' | 'quota_exceeded' | 'same_plan' | 'price_changed' | 'port_in_use' | 'rule_exists' | 'ssh_key_exists' | 'agent_busy' | 'approval_not_pending' | 'document_unavailable' | 'link_invalid' | 'body_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'validation_failed' | 'unknown_plan' | 'unknown_template' | 'plan_not_available_in_region' | 'disk_shrink_not_supported' | 'idempotency_key_reused' | 'rate_limit_exceeded' | 'headers_too_large' | 'internal_error' | 'service_unavailable' | 'compute_unavailable' | 'capacity_unavailable' | 'agent_unavailable'; message: string; details?: ErrorDetails };
}

/** Facts about an error; which ones depends on its code. */
export interface ErrorDetails {
  fields?: FieldProblem[];
  policy?: string;
  retry_after_seconds?: number;
  required_minor?: number;
  available_minor?: number;
  shortfall_minor?: number;
  currency?: string;
  resource?: string;
  limit?: number;
  used?: number;
  status?: string;
  allowed?: string[];
  job_id?: string;
  job_kind?: string;
  existing_id?: string;
  role?: string;
  required_role?: string;
  [name: string]: unknown;
}

/** One field that was wrong. */
export interface FieldProblem {
  field: string;
  code: string;
  message: string;
}

/** An account that a person is a member of */
export interface AccountOfPerson {
  id: string;
  name: string;
  suspended: boolean;
  role: Role;
}

/** Somebody who can sign in */
export interface Person {
  id: string;
  email: string;
  name: string | null;
  locale: 'en' | 'de';
  email_verified_at: string | null;
  created_at: string;
}

/** What a person may do in an account */
export type Role = 'owner' | 'operator' | 'viewer';

/** Who has signed in, and for which account */
export interface Session {
  id: string;
  person: Person;
  account: AccountOfPerson | null;
  role: Role | null;
  scopes: ('catalog:read' | 'vm:read' | 'vm:write' | 'vm:create' | 'vm:plan' | 'vm:destroy' | 'vm:console' | 'sshkey:read' | 'sshkey:write' | 'billing:read' | 'shield:read' | 'shield:write')[];
  accounts: AccountOfPerson[];
  confirmed_until: string | null;
  factors: { password: boolean; totp: boolean; passkeys: number; recovery_codes: number };
}

/** How far a sign-in has come */
export interface SignIn {
  next: 'signed_in' | 'second_factor';
}

/** What is the same for everybody */
export interface Site {
  name: string;
  logo_url: string | null;
  colour: string;
  colour_dark: string;
  languages: ('en' | 'de')[];
  sign_up: 'open' | 'invitation' | 'closed';
  terms_url: string | null;
  support_url: string | null;
  currency: string;
  development: boolean;
  signed_in: boolean;
}

/** What each operation takes, and what it answers under `data`. */
export interface PanelOperations {
  getSite: { data: Site };
  signInByLink: { body: { token: string }; data: SignIn };
  getSession: { data: Session };
  signOut: { data: {  } };
}

/** Where each operation is; `once` where it takes an Idempotency-Key. */
export const PANEL_OPERATIONS = {
  getSite: ['GET', '/site'],
  signInByLink: ['POST', '/sign-in/link'],
  getSession: ['GET', '/session'],
  signOut: ['DELETE', '/session'],
} as const;
