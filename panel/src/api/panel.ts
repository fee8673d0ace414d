// Made from the endpoints of the service by `npm run generate`: do not edit.

/** The format of all errors. */
export interface Error {
  error: ErrorBody;
}

/** The error. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  details?: ErrorDetails;
}

export type ErrorCode = 'idempotency_key_missing' | 'idempotency_key_invalid' | 'invalid_json' | 'invalid_cursor' | 'invalid_request' | 'api_key_missing' | 'api_key_invalid' | 'api_key_expired' | 'ip_not_allowed' | 'session_required' | 'sign_in_failed' | 'insufficient_funds' | 'scope_required' | 'role_required' | 'origin_not_allowed' | 'confirmation_required' | 'second_factor_required' | 'sign_up_closed' | 'not_found' | 'method_not_allowed' | 'account_suspended' | 'idempotency_in_progress' | 'vm_locked' | 'invalid_state' | 'vm_must_be_stopped' | 'vm_suspended' | 'payment_due' | 'guest_agent_unavailable' | 'quota_exceeded' | 'same_plan' | 'price_changed' | 'port_in_use' | 'rule_exists' | 'ssh_key_exists' | 'agent_busy' | 'approval_not_pending' | 'document_unavailable' | 'link_invalid' | 'body_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'validation_failed' | 'unknown_plan' | 'unknown_template' | 'plan_not_available_in_region' | 'disk_shrink_not_supported' | 'idempotency_key_reused' | 'rate_limit_exceeded' | 'headers_too_large' | 'internal_error' | 'service_unavailable' | 'compute_unavailable' | 'capacity_unavailable' | 'agent_unavailable';

/** Details of an error, depending on its code. */
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
  reason?: string;
  required_role?: string;
  [name: string]: unknown;
}

export type FieldCode = 'required' | 'unknown_field' | 'wrong_type' | 'invalid_format' | 'invalid_characters' | 'not_allowed' | 'not_found' | 'not_available' | 'not_supported' | 'incorrect' | 'duplicate' | 'in_use' | 'conflict' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'too_small' | 'too_large' | 'out_of_range' | 'too_precise' | 'too_weak' | 'in_the_past' | 'in_the_future';

/** An invalid field. */
export interface FieldProblem {
  field: string;
  code: FieldCode;
  message: string;
}

export interface AcceptInvitationRequest {
  token: string;
}

/** An account of which a person is a member */
export interface AccountOfPerson {
  id: string;
  name: string;
  suspended: boolean;
  role: Role;
}

export interface AddPasskeyRequest {
  name: string;
  response: { [name: string]: unknown };
}

export type AdjustmentType = 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';

/** An API key, without its text */
export interface ApiKey {
  id: string;
  label: string;
  prefix: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: Scope[];
  allowed_ips: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** An action on an account or in its name */
export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string | null;
  details: Record<string, unknown>;
  ip: string | null;
}

/** Automatic top-up of an account */
export interface AutoTopUp {
  enabled: boolean;
  threshold_minor: number;
  amount_minor: number;
  currency: string;
  payment_method_id: string | null;
  methods: PaymentMethod[];
  failures: number;
  last_error: string | null;
  next_attempt_at: string | null;
}

/** Recipient of the invoices, and the tax on purchases from now on */
export interface BilledAs {
  profile: BillingProfile | null;
  tax: { category: 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope'; rate: string; reason: string | null };
}

export type BillingMode = 'monthly' | 'hourly';

/** Recipient of the invoices */
export interface BillingProfile {
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode: string | null;
  country: string;
  vat_id: string | null;
  order_reference: string | null;
  language: 'en' | 'de' | null;
  mail_to: string[];
  updated_at: string;
}

/** A change in the account */
export interface Change {
  kind: 'vm' | 'wallet' | 'shield' | 'keys';
  id: string | null;
}

export interface ChangeEmailRequest {
  email: string;
}

export interface ChangeMemberRoleRequest {
  role: 'owner' | 'operator' | 'viewer';
}

export interface ChangePasswordRequest {
  password: string;
}

/** A reversed payment that the wallet did not cover */
export interface Claim {
  id: string;
  kind: 'refund' | 'dispute';
  amount_minor: number;
  top_up_id: string;
  reference: string;
  created_at: string;
}

export interface CloseAccountRequest {
  name: string;
}

export interface CompleteSignUpRequest {
  token: string;
  password: string;
  name?: string;
  locale?: 'en' | 'de';
}

export interface ConfirmSessionRequest {
  password?: string;
  response?: { [name: string]: unknown };
}

export interface ConfirmTotpRequest {
  code: string;
}

export interface CreateCustomVmRequest {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  template: string;
  hostname: string;
  region?: string;
  zone?: string;
  ssh_key_ids?: string[];
  password?: string;
  user_data?: string;
  notes?: string | null;
  billing?: BillingMode;
  auto_renew?: boolean;
  renewal_priority?: number;
  start?: boolean;
  max_charge_minor?: number;
}

export interface CreateKeyRequest {
  label: string;
  scopes: ('catalog:read' | 'vm:read' | 'vm:write' | 'vm:create' | 'vm:plan' | 'vm:destroy' | 'vm:console' | 'sshkey:read' | 'sshkey:write' | 'billing:read' | 'shield:read' | 'shield:write')[];
  allowed_ips?: string[];
  expires_at?: string | null;
}

/** A new VM, the job that creates it and the order that pays for it */
export interface CreatedVm {
  vm: Vm;
  job: Job;
  order: Order;
  initial_password: string | null;
}

/** Debt of an account */
export interface Debt {
  currency: string;
  claimed_minor: number;
  shortfall_minor: number;
  suspends_at: string | null;
  claims: Claim[];
  deleted_vms: VmDebt[];
}

/** Details of an invitation */
export interface Invitation {
  account: string;
  role: 'owner' | 'operator' | 'viewer';
  inviter: string | null;
  email: string;
  expires_at: string;
}

export interface InviteMemberRequest {
  email: string;
  role: 'owner' | 'operator' | 'viewer';
}

/** A long-running operation on a VM */
export interface Job {
  id: string;
  kind: JobKind;
  status: JobStatus;
  progress: number;
  vm_id: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  error: JobError | null;
}

/** The reason why a job failed */
export interface JobError {
  code: string;
  message: string;
}

export type JobKind = 'create' | 'start' | 'stop' | 'force_stop' | 'reboot' | 'reset_password' | 'attach_ssh_key' | 'change_plan' | 'change_custom' | 'snapshot_create' | 'snapshot_delete' | 'snapshot_restore' | 'rebuild' | 'move' | 'delete';

export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** Details of a link */
export interface Link {
  purpose: 'sign_up' | 'change_email' | 'reset_password' | 'sign_in';
  email: string;
  own: boolean | null;
  expires_at: string;
}

/** A member of the account, or a person invited to it */
export interface Member {
  id: string;
  person_id: string | null;
  email: string;
  name: string | null;
  role: 'owner' | 'operator' | 'viewer';
  status: 'active' | 'invited';
  created_at: string;
}

/** Between these times, VMs are switched off briefly and moved to another host. A VM that is switched off earlier is moved at once */
export interface MoveWindow {
  from_at: string;
  to_at: string;
}

/** An announced price */
export interface NextPlanPrice {
  price_hourly: string | null;
  billing_modes: BillingMode[];
  price_monthly_minor: number;
  price_monthly_net_minor: number;
  from_at: string;
}

/** Next step for the customer */
export type NextStep = { kind: 'done' } | { kind: 'redirect'; url: string } | { kind: 'bank_transfer'; reference: string; recipient: string; iban: string; bic: string | null };

/** A top-up and its next step */
export interface OneTopUp {
  id: string;
  provider: string;
  cause: 'person' | 'auto';
  status: 'pending' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';
  amount_minor: number;
  currency: string;
  reference: string;
  error: string | null;
  payment_id: string | null;
  created_at: string;
  expires_at: string | null;
  settled_at: string | null;
  next: NextStep | null;
}

/** A charge or a refund of an operation */
export interface Order {
  id: string;
  kind: OrderKind;
  status: OrderStatus;
  vm_id: string | null;
  amount_minor: number;
  currency: string;
  balance_after_minor: number | null;
  invoice_id: string | null;
  created_at: string;
  adjustment: OrderAdjustment | null;
}

/** The operator's reason for a correction; null for all other orders */
export interface OrderAdjustment {
  type: AdjustmentType;
  reason: string;
  corrects_order_id: string | null;
}

export type OrderKind = 'create' | 'change_plan' | 'change_custom' | 'renew' | 'add_on' | 'hourly_usage' | 'delete_refund' | 'adjustment';

export type OrderStatus = 'pending' | 'completed' | 'failed' | 'refunded';

/** A sign-in key stored on a device or in a password manager */
export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

/** A payment method stored by a provider for later charges */
export interface PaymentMethod {
  id: string;
  provider: string;
  label: string;
  expires_on: string | null;
  created_at: string;
}

/** A payment provider */
export interface PaymentProvider {
  id: string;
  minimum_minor: number;
  maximum_minor: number;
  currency: string;
  can_store: boolean;
}

/** A person who can sign in */
export interface Person {
  id: string;
  email: string;
  name: string | null;
  locale: 'en' | 'de';
  email_verified_at: string | null;
  created_at: string;
}

export interface PublicPlan {
  code: string;
  name: string;
  category: string;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  bandwidth_gb: number | null;
  price_hourly: string | null;
  billing_modes: BillingMode[];
  price_monthly_minor: number;
  price_monthly_net_minor: number;
  next_price: NextPlanPrice | null;
  retires_on: string | null;
  regions: string[];
  deprecated: boolean;
}

/** Get the public price list, tax included */
export interface PublicPrices {
  currency: string;
  plans: PublicPlan[];
  regions: { code: string; name: string; country: string }[];
}

export interface RebuildVmRequest {
  template: string;
  ssh_key_ids?: string[];
  delete_snapshots?: boolean;
}

/** Codes that replace the second factor if the app is lost */
export interface RecoveryCodes {
  recovery_codes: string[];
}

export interface RequestPasswordResetRequest {
  email: string;
}

export interface ResetPasswordByMailRequest {
  token: string;
  password: string;
  revoke_keys?: boolean;
}

export type Role = 'owner' | 'operator' | 'viewer';

export type Scope = 'catalog:read' | 'vm:read' | 'vm:write' | 'vm:create' | 'vm:plan' | 'vm:destroy' | 'vm:console' | 'sshkey:read' | 'sshkey:write' | 'billing:read' | 'shield:read' | 'shield:write';

/** The signed-in person and the account shown */
export interface Session {
  id: string;
  person: Person;
  account: AccountOfPerson | null;
  role: Role | null;
  scopes: ('catalog:read' | 'vm:read' | 'vm:write' | 'vm:create' | 'vm:plan' | 'vm:destroy' | 'vm:console' | 'sshkey:read' | 'sshkey:write' | 'billing:read' | 'shield:read' | 'shield:write')[];
  accounts: AccountOfPerson[];
  confirmed_until: string | null;
  factors: { password: boolean; totp: boolean; passkeys: number; recovery_codes: number };
  version: string;
}

/** A session of a browser */
export interface SessionEntry {
  id: string;
  current: boolean;
  ip: string;
  device: string;
  user_agent: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}

export interface SetAutoTopUpRequest {
  enabled: boolean;
  threshold_minor: number;
  amount_minor: number;
  payment_method_id?: string | null;
}

export interface SetBillingProfileRequest {
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode?: string | null;
  country: string;
  vat_id?: string | null;
  order_reference?: string | null;
  language?: 'en' | 'de' | null;
  mail_to?: string[];
}

export interface ShowInvitationRequest {
  token: string;
}

export interface ShowLinkRequest {
  token: string;
}

/** Progress of a sign-in */
export interface SignIn {
  next: 'signed_in' | 'second_factor';
}

export interface SignInByLinkRequest {
  token: string;
}

export interface SignInRequest {
  email: string;
  password: string;
}

export interface SignInSecondFactorRequest {
  code: string;
}

export interface SignInWithPasskeyRequest {
  response: { [name: string]: unknown };
}

export interface SignInWithRecoveryCodeRequest {
  code: string;
}

export interface SignUpRequest {
  email: string;
  locale?: 'en' | 'de';
}

/** Settings that are the same for everyone */
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

export interface StartTopUpRequest {
  amount_minor: number;
  provider: string;
  keep_method?: boolean;
}

export interface SwitchAccountRequest {
  account_id: string;
}

/** Speed limit because the traffic has reached a bound; absent if there is none */
export interface Throttle {
  mbps: number;
  cause: ThrottleCause;
}

export type ThrottleCause = 'included_traffic' | 'unpaid_usage';

/** A top-up of the wallet */
export interface TopUp {
  id: string;
  provider: string;
  cause: 'person' | 'auto';
  status: 'pending' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';
  amount_minor: number;
  currency: string;
  reference: string;
  error: string | null;
  payment_id: string | null;
  created_at: string;
  expires_at: string | null;
  settled_at: string | null;
}

export interface UpdateProfileRequest {
  name?: string;
  locale?: 'en' | 'de';
}

export interface VerifyEmailRequest {
  token: string;
}

/** A virtual machine */
export interface Vm {
  id: string;
  hostname: string;
  notes: string | null;
  status: VmStatus;
  wanted_power: WantedPower;
  locked: boolean;
  active_job: Job | null;
  last_job: Job | null;
  plan: string | null;
  is_custom: boolean;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  bandwidth_gb: number | null;
  template: string;
  region: string;
  zone: string;
  ipv4: string | null;
  ipv6: string | null;
  price_monthly_minor: number;
  price_hourly: string | null;
  billing_mode: BillingMode;
  next_billing_mode: BillingMode;
  currency: string;
  auto_renew: boolean;
  renewal_priority: number;
  billing_period_start_at: string;
  billing_period_end_at: string;
  move_window: MoveWindow | null;
  throttle: Throttle | null;
  created_at: string;
  updated_at: string;
}

/** Usage of a deleted VM that the wallet did not cover */
export interface VmDebt {
  order_id: string;
  vm_id: string;
  hostname: string;
  amount_minor: number;
  created_at: string;
}

export type VmStatus = 'provisioning' | 'stopped' | 'starting' | 'running' | 'stopping' | 'rebooting' | 'resizing' | 'deleting' | 'suspended' | 'error';

/** An entry of the journal and the resulting balance */
export interface WalletEntry {
  entry: number;
  at: string;
  reason: string;
  amount_minor: number;
  order_id: string | null;
  payment_id: string | null;
  promo_credit_id: string | null;
  available_minor: number;
  promo_minor: number;
  held_minor: number;
  currency: string;
  change_minor: number;
}

export type WantedPower = 'on' | 'off';

/** The input of each operation, and its output under `data`. */
export interface PanelOperations {
  getSite: { data: Site };
  getPublicPrices: { data: PublicPrices };
  signUp: { body: SignUpRequest; data: {  } };
  showLink: { body: ShowLinkRequest; data: Link };
  completeSignUp: { body: CompleteSignUpRequest; data: SignIn };
  verifyEmail: { body: VerifyEmailRequest; data: { email: string } };
  signIn: { body: SignInRequest; data: SignIn };
  signInSecondFactor: { body: SignInSecondFactorRequest; data: SignIn };
  signInWithRecoveryCode: { body: SignInWithRecoveryCodeRequest; data: SignIn };
  beginPasskeySignIn: { data: { options: Record<string, unknown> } };
  signInWithPasskey: { body: SignInWithPasskeyRequest; data: SignIn };
  signInByLink: { body: SignInByLinkRequest; data: SignIn };
  requestPasswordReset: { body: RequestPasswordResetRequest; data: {  } };
  resetPasswordByMail: { body: ResetPasswordByMailRequest; data: { ended_sessions: number; revoked_keys: number } };
  getSession: { data: Session };
  signOut: { data: {  } };
  switchAccount: { body: SwitchAccountRequest; data: Session };
  confirmSession: { body: ConfirmSessionRequest; data: { confirmed_until: string } };
  listSessions: { data: SessionEntry[] };
  revokeSession: { params: { id: string }; data: {  } };
  updateProfile: { body: UpdateProfileRequest; data: Person };
  changePassword: { body: ChangePasswordRequest; data: {  } };
  changeEmail: { body: ChangeEmailRequest; data: {  } };
  beginTotp: { data: { secret: string; uri: string } };
  removeTotp: { data: {  } };
  confirmTotp: { body: ConfirmTotpRequest; data: RecoveryCodes };
  renewRecoveryCodes: { data: RecoveryCodes };
  listPasskeys: { data: Passkey[] };
  addPasskey: { body: AddPasskeyRequest; data: Passkey };
  beginPasskey: { data: { options: Record<string, unknown> } };
  removePasskey: { params: { id: string }; data: {  } };
  listScopes: { data: { scopes: { scope: Scope; description: string; grantable: boolean }[]; presets: { id: 'read_only' | 'operate' | 'full'; scopes: Scope[] }[] } };
  listKeys: { query: { limit?: number; cursor?: string }; data: ApiKey[]; list: true };
  createKey: { body: CreateKeyRequest; data: { key: ApiKey; secret: string } };
  revokeKey: { params: { id: string }; data: ApiKey };
  listMembers: { data: Member[] };
  inviteMember: { body: InviteMemberRequest; data: Member };
  changeMemberRole: { params: { id: string }; body: ChangeMemberRoleRequest; data: Member };
  removeMember: { params: { id: string }; data: {  } };
  showInvitation: { body: ShowInvitationRequest; data: Invitation };
  acceptInvitation: { body: AcceptInvitationRequest; data: { account_id: string } };
  listAudit: { query: { limit?: number; cursor?: string }; data: AuditEntry[]; list: true };
  closeAccount: { body: CloseAccountRequest; data: {  } };
  restoreSnapshot: { params: { id: string; snapshot_id: string }; data: { job: Job } };
  createCustomVm: { body: CreateCustomVmRequest; data: CreatedVm };
  rebuildVm: { params: { id: string }; body: RebuildVmRequest; data: { job: Job; initial_password: string | null } };
  streamChanges: { line: Change };
  listPaymentProviders: { data: PaymentProvider[] };
  startTopUp: { body: StartTopUpRequest; data: { top_up: TopUp; next: NextStep } };
  listTopUps: { query: { limit?: number; cursor?: string }; data: TopUp[]; list: true };
  getTopUp: { params: { id: string }; data: OneTopUp };
  cancelTopUp: { params: { id: string }; data: TopUp };
  getDebt: { data: Debt };
  getAutoTopUp: { data: AutoTopUp };
  setAutoTopUp: { body: SetAutoTopUpRequest; data: AutoTopUp };
  removePaymentMethod: { params: { id: string }; data: AutoTopUp };
  getStatement: { query: { limit?: number; cursor?: string; from?: string; to?: string }; data: WalletEntry[]; list: true };
  getBillingProfile: { data: BilledAs };
  setBillingProfile: { body: SetBillingProfileRequest; data: BilledAs };
}

/** The method and path of each operation; `once` if it requires an Idempotency-Key, `list` if it is read page by page. */
export const PANEL_OPERATIONS = {
  getSite: ['GET', '/site'],
  getPublicPrices: ['GET', '/prices'],
  signUp: ['POST', '/sign-up'],
  showLink: ['POST', '/links/show'],
  completeSignUp: ['POST', '/sign-up/complete'],
  verifyEmail: ['POST', '/verify-email'],
  signIn: ['POST', '/sign-in'],
  signInSecondFactor: ['POST', '/sign-in/second-factor'],
  signInWithRecoveryCode: ['POST', '/sign-in/recovery-code'],
  beginPasskeySignIn: ['POST', '/sign-in/passkey/options'],
  signInWithPasskey: ['POST', '/sign-in/passkey'],
  signInByLink: ['POST', '/sign-in/link'],
  requestPasswordReset: ['POST', '/password-reset'],
  resetPasswordByMail: ['POST', '/password-reset/complete'],
  getSession: ['GET', '/session'],
  signOut: ['DELETE', '/session'],
  switchAccount: ['POST', '/session/account'],
  confirmSession: ['POST', '/session/confirm'],
  listSessions: ['GET', '/sessions'],
  revokeSession: ['DELETE', '/sessions/{id}'],
  updateProfile: ['PATCH', '/person'],
  changePassword: ['POST', '/person/password'],
  changeEmail: ['POST', '/person/email'],
  beginTotp: ['POST', '/person/totp'],
  removeTotp: ['DELETE', '/person/totp'],
  confirmTotp: ['POST', '/person/totp/confirm'],
  renewRecoveryCodes: ['POST', '/person/recovery-codes'],
  listPasskeys: ['GET', '/person/passkeys'],
  addPasskey: ['POST', '/person/passkeys'],
  beginPasskey: ['POST', '/person/passkeys/options'],
  removePasskey: ['DELETE', '/person/passkeys/{id}'],
  listScopes: ['GET', '/scopes'],
  listKeys: ['GET', '/keys', 'list'],
  createKey: ['POST', '/keys'],
  revokeKey: ['DELETE', '/keys/{id}'],
  listMembers: ['GET', '/members'],
  inviteMember: ['POST', '/members'],
  changeMemberRole: ['PATCH', '/members/{id}'],
  removeMember: ['DELETE', '/members/{id}'],
  showInvitation: ['POST', '/invitations/show'],
  acceptInvitation: ['POST', '/invitations/accept'],
  listAudit: ['GET', '/audit', 'list'],
  closeAccount: ['POST', '/account/close'],
  restoreSnapshot: ['POST', '/vm/{id}/snapshots/{snapshot_id}/restore'],
  createCustomVm: ['POST', '/vm/custom', 'once'],
  rebuildVm: ['POST', '/vm/{id}/rebuild'],
  streamChanges: ['GET', '/changes'],
  listPaymentProviders: ['GET', '/payment-providers'],
  startTopUp: ['POST', '/top-ups', 'once'],
  listTopUps: ['GET', '/top-ups', 'list'],
  getTopUp: ['GET', '/top-ups/{id}'],
  cancelTopUp: ['POST', '/top-ups/{id}/cancel'],
  getDebt: ['GET', '/debt'],
  getAutoTopUp: ['GET', '/auto-top-up'],
  setAutoTopUp: ['PUT', '/auto-top-up'],
  removePaymentMethod: ['DELETE', '/payment-methods/{id}'],
  getStatement: ['GET', '/statement', 'list'],
  getBillingProfile: ['GET', '/billing-profile'],
  setBillingProfile: ['PUT', '/billing-profile'],
} as const;
