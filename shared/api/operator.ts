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

export type ErrorCode = 'invalid_json' | 'invalid_cursor' | 'invalid_request' | 'insufficient_funds' | 'not_found' | 'idempotency_in_progress' | 'vm_locked' | 'invalid_state' | 'vm_suspended' | 'quota_exceeded' | 'document_unavailable' | 'payment_exists' | 'body_too_large' | 'unsupported_media_type' | 'validation_failed' | 'unknown_template' | 'idempotency_key_reused' | 'internal_error' | 'service_unavailable' | 'compute_unavailable' | 'capacity_unavailable';

/** Details of an error, depending on its code. */
export interface ErrorDetails {
  fields?: FieldProblem[];
  [name: string]: unknown;
}

export type FieldCode = 'required' | 'unknown_field' | 'wrong_type' | 'invalid_format' | 'invalid_characters' | 'not_allowed' | 'not_found' | 'not_available' | 'not_supported' | 'incorrect' | 'duplicate' | 'in_use' | 'conflict' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'too_small' | 'too_large' | 'out_of_range' | 'too_precise' | 'too_weak' | 'in_the_past' | 'in_the_future';

/** An invalid field. */
export interface FieldProblem {
  field: string;
  code: FieldCode;
  message: string;
}

/** A customer */
export interface Account {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  currency: string;
  wallet: Wallet;
  vm_count: number;
  limits: { vms: number; vcpu: number; ram_mb: number; disk_gb: number; snapshots_per_vm: number; firewall_rules_per_vm: number; port_forwards_per_vm: number; ssh_keys: number };
  smtp: 'open' | 'closed';
  created_at: string;
}

/** A member of an account */
export interface AccountMember {
  person_id: string;
  email: string;
  name: string | null;
  role: 'owner' | 'operator' | 'viewer';
  created_at: string;
}

/** An account with all its current and past keys */
export interface AccountWithKeys {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  currency: string;
  wallet: Wallet;
  vm_count: number;
  limits: { vms: number; vcpu: number; ram_mb: number; disk_gb: number; snapshots_per_vm: number; firewall_rules_per_vm: number; port_forwards_per_vm: number; ssh_keys: number };
  smtp: 'open' | 'closed';
  created_at: string;
  keys: Key[];
}

export interface AddClusterRequest {
  region: string;
  endpoints: string[];
  certificate?: string;
  network?: string;
  service_networks?: string[];
  project?: string;
  pool?: string;
  cpu_overcommit?: number;
}

export interface AddOperatorRequest {
  email: string;
}

export interface AddTargetRequest {
  ip: string;
  mode?: 'always_on' | 'sensor' | 'off';
}

/** A correction of the books: a separate order, because booked orders never change */
export interface Adjustment {
  id: string;
  account_id: string;
  vm_id: string | null;
  type: 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';
  amount_minor: number;
  currency: string;
  reason: string;
  actor: string;
  corrects_order_id: string | null;
  outage_id: string | null;
  invoice_id: string | null;
  created_at: string;
}

export type AdjustmentType = 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';

/** Result of an audit of the books */
export interface AuditReport {
  started_at: string;
  finished_at: string;
  accounts: number;
  laws: number;
  findings: { law: string; what: string }[];
  truncated: boolean;
}

export type BillingMode = 'monthly' | 'hourly';

/** Recipient of an account's invoices */
export interface BillingProfile {
  account_id: string;
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode: string | null;
  country: string;
  vat_id: string | null;
  exempt_reason: string | null;
  order_reference: string | null;
  language: 'en' | 'de' | null;
  mail_to: string[];
  updated_at: string;
}

export interface BookUnbookedPaymentRequest {
  account_id?: string;
}

/** A payment and the resulting wallet */
export interface BookedPayment {
  id: string;
  account_id: string;
  method: string;
  status: 'pending' | 'succeeded' | 'failed' | 'refunded';
  amount_minor: number;
  currency: string;
  reference: string;
  created_at: string;
  settled_at: string | null;
  wallet: Wallet;
}

/** The unit in which the books count their currency */
export interface Books {
  currency: string;
  iso_exponent: number;
  exponent: number | null;
  paused: boolean;
  recorded_at: string | null;
  recorded_by: string | null;
  last_payments: PaymentSample[];
}

/** What VMs share */
export interface Capacity {
  zones: string[] | null;
  resources: { resource: 'vcpu' | 'dedicated_cores' | 'ram_mb' | 'disk_gb'; total: number | null; reserved: number; free: number | null }[];
}

export interface ChangeClusterRequest {
  endpoints?: string[];
  certificate?: string | null;
  service_networks?: string[];
  cpu_overcommit?: number;
}

/** Promotional credit and the resulting wallet */
export interface ChangedPromoCredit {
  id: string;
  account_id: string;
  amount_minor: number;
  remaining_minor: number;
  expires_at: string;
  revoked_at: string | null;
  reason: string;
  actor: string;
  created_at: string;
  currency: string;
  status: 'active' | 'spent' | 'expired' | 'revoked';
  wallet: Wallet;
}

/** A cluster for the VMs of some regions */
export interface Cluster {
  id: string;
  regions: string[];
  endpoints: string[];
  reachable: boolean;
  ok: boolean;
  summary: string;
  members_up: number;
  members_total: number;
  guests: number;
}

/** Requirements of guests for the cluster, item by item */
export interface ClusterCheck {
  compute: string;
  findings: { what: string; state: 'ok' | 'limited' | 'missing'; found: string }[];
}

/** Removed files */
export interface CollectedImages {
  files: number;
  bytes: number;
}

export interface ConfirmTopUpRequest {
  amount?: string;
  amount_minor?: number;
  currency?: string;
}

export interface CorrectedInvoice {
  invoice_id: string;
  number: string | null;
}

export interface CreateAccountRequest {
  name: string;
  currency?: string;
  limits?: { vms?: number; vcpu?: number; ram_mb?: number; disk_gb?: number; snapshots_per_vm?: number; firewall_rules_per_vm?: number; port_forwards_per_vm?: number; ssh_keys?: number };
}

export interface CreateKeyRequest {
  name: string;
  scopes: ('catalog:read' | 'vm:read' | 'vm:write' | 'vm:create' | 'vm:plan' | 'vm:destroy' | 'vm:console' | 'sshkey:read' | 'sshkey:write' | 'billing:read' | 'shield:read' | 'shield:write')[];
  expires_at?: string;
  allow_cidrs?: string[];
}

export interface CreateOperatorLinkRequest {
  email: string;
}

export interface CreateSignInLinkRequest {
  email: string;
  account_id?: string;
  role?: 'owner' | 'operator' | 'viewer';
}

export interface CreateTenantRequest {
  name: string;
}

export interface CreditAccountRequest {
  amount?: string;
  amount_minor?: number;
  method?: string;
  reference?: string;
  key?: string;
}

/** An outage and its credits */
export interface CreditedOutage {
  id: string;
  region: string | null;
  vm_id: string | null;
  from_at: string;
  to_at: string;
  reason: string;
  actor: string;
  status: 'open' | 'crediting' | 'credited';
  created_at: string;
  credited: number;
  credited_minor: number;
  currency: string;
}

export interface DebitAccountRequest {
  amount?: string;
  amount_minor?: number;
  method?: string;
  reference?: string;
  key?: string;
}

export interface DismissUnbookedPaymentRequest {
  reason: string;
}

export interface DrainHostRequest {
  timeout_seconds?: number;
}

/** Result for the guests of a host */
export interface DrainedHost {
  shut_down: number;
  powered_off: number;
  left: string[];
}

export interface EmptyHostRequest {
  from?: string;
  to?: string;
}

export interface EndReportedAttackRequest {
  ip: string;
}

/** The attack that has ended; null if none was reported */
export interface EndedReport {
  attack_id: string | null;
}

export type EventType = 'agent.command_started' | 'billing.adjusted' | 'billing.charged' | 'billing.debt' | 'billing.debt_due' | 'billing.debt_settled' | 'billing.debt_suspended' | 'billing.deletion_due' | 'billing.ended' | 'billing.plan_retires' | 'billing.price_change' | 'billing.renewal_due' | 'billing.suspension_failed' | 'billing.traffic_limited' | 'billing.traffic_used' | 'billing.unpaid' | 'billing.usage_unpaid' | 'billing.written_off' | 'console.ticket_issued' | 'console.token_issued' | 'console_share.created' | 'console_share.revoked' | 'firewall.rule_added' | 'firewall.rule_removed' | 'guest.crashed' | 'guest.powered_off' | 'guest.ready' | 'guest.rebooted' | 'guest.warning' | 'job.failed' | 'port_forward.added' | 'port_forward.removed' | 'snapshot.created' | 'snapshot.deleted' | 'snapshot.restored' | 'vm.created' | 'vm.deleted' | 'vm.move_canceled' | 'vm.move_scheduled' | 'vm.moved' | 'vm.password_reset' | 'vm.rebooted' | 'vm.rebuilt' | 'vm.resized' | 'vm.ssh_key_attached' | 'vm.started' | 'vm.stopped' | 'vm.suspended' | 'vm.updated' | 'vm.create_requested' | 'vm.start_requested' | 'vm.stop_requested' | 'vm.force_stop_requested' | 'vm.reboot_requested' | 'vm.reset_password_requested' | 'vm.attach_ssh_key_requested' | 'vm.change_plan_requested' | 'vm.change_custom_requested' | 'vm.snapshot_create_requested' | 'vm.snapshot_delete_requested' | 'vm.snapshot_restore_requested' | 'vm.rebuild_requested' | 'vm.move_requested' | 'vm.delete_requested';

export interface GrantPromoCreditRequest {
  amount?: string;
  amount_minor?: number;
  until: string;
  reason: string;
  key?: string;
}

/** An invoice or a credit note of a past month without a number */
export interface HeldDocument {
  invoice_id: string;
  account_id: string;
  account_name: string;
  type: 'invoice' | 'credit_note';
  period_start_at: string;
  currency: string;
  reason: string;
  rules: string[];
  held_at: string;
  checked_at: string;
}

/** Requirements of guests for the host, item by item */
export interface Host {
  compute: string;
  clustered: boolean;
  findings: { what: string; state: 'ok' | 'limited' | 'missing'; found: string }[];
}

/** A host of VMs */
export interface HostMachine {
  id: string;
  name: string;
  zones: string[] | null;
  state: 'up' | 'draining' | 'evacuated' | 'unreachable';
  move_window: MoveWindow | null;
  draining: boolean;
  vcpu: number | null;
  dedicated_cores: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
  vms: number;
  moving_in: number;
  seen_at: string;
  lost_at: string | null;
}

/** A disk image for guests */
export interface Image {
  name: string;
  sha256: string;
  virtual_bytes: number;
  user: string;
  direct_boot: boolean;
  ready: string;
  ready_within_seconds: number | null;
}

export interface ImportImageRequest {
  name: string;
  disk: string;
  user: string;
  sha256?: string;
  ready?: string;
  ready_within_seconds?: number;
  direct_boot?: { kernel: string; initrd: string; append: string };
}

/** An invoice or a credit note as shown to its account */
export interface Invoice {
  account_id: string;
  id: string;
  type: InvoiceType;
  number: string | null;
  status: InvoiceStatus;
  period_start_at: string;
  period_end_at: string;
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  currency: string;
  issued_at: string | null;
  paid_at: string | null;
  seller: InvoiceParty | null;
  buyer: InvoiceParty | null;
  order_reference: string | null;
  corrects: CorrectedInvoice[];
  taxes: InvoiceTax[];
  lines: InvoiceLine[];
}

/** A file */
export interface InvoiceDocument {
  name: string;
  base64: string;
}

export interface InvoiceLine {
  description: string;
  vm_id: string | null;
  hostname: string | null;
  quantity: number;
  unit: string;
  unit_price: string;
  price_hourly: string | null;
  amount_minor: number;
  tax_rate: string;
  tax_category: TaxCategory;
  tax_minor: number;
  from_at: string;
  to_at: string;
  proration: boolean;
}

/** The seller or the buyer at the time of issue */
export interface InvoiceParty {
  name: string;
  street: string | null;
  city: string | null;
  postcode: string | null;
  country: string | null;
  vat_id: string | null;
  tax_number: string | null;
  registration_id: string | null;
  email: string | null;
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void';

/** Amounts of an invoice at one tax rate */
export interface InvoiceTax {
  tax_rate: string;
  tax_category: TaxCategory;
  tax_reason: string | null;
  subtotal_minor: number;
  tax_minor: number;
}

export type InvoiceType = 'invoice' | 'credit_note';

/** A long-running operation on a VM */
export interface Job {
  id: string;
  account_id: string;
  vm_id: string;
  kind: JobKind;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled';
  step: number;
  undoing: boolean;
  attempts: number;
  next_attempt_at: string | null;
  owned: boolean;
  abandoned: boolean;
  error: { code: string; message: string } | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export type JobKind = 'create' | 'start' | 'stop' | 'force_stop' | 'reboot' | 'reset_password' | 'attach_ssh_key' | 'change_plan' | 'change_custom' | 'snapshot_create' | 'snapshot_delete' | 'snapshot_restore' | 'rebuild' | 'move' | 'delete';

/** An API key, without its text */
export interface Key {
  id: string;
  account_id: string;
  name: string;
  hint: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: Scope[];
  allow_cidrs: string[];
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

/** An invoice or a credit note without its lines */
export interface ListedInvoice {
  id: string;
  type: InvoiceType;
  number: string | null;
  status: InvoiceStatus;
  period_start_at: string;
  period_end_at: string;
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  currency: string;
  issued_at: string | null;
  paid_at: string | null;
  seller: InvoiceParty | null;
  buyer: InvoiceParty | null;
  order_reference: string | null;
  corrects: CorrectedInvoice[];
}

/** An action of an operator, and its result */
export interface LogEntry {
  id: string;
  uid: number | null;
  pid: number | null;
  user_name: string | null;
  login_name: string | null;
  email: string | null;
  ip: string | null;
  request: string;
  input: Record<string, unknown>;
  created_at: string;
  status: number | null;
}

/** A correction of the books and the resulting wallet */
export interface MadeAdjustment {
  id: string;
  account_id: string;
  vm_id: string | null;
  type: 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';
  amount_minor: number;
  currency: string;
  reason: string;
  actor: string;
  corrects_order_id: string | null;
  outage_id: string | null;
  invoice_id: string | null;
  created_at: string;
  promo_minor: number;
  promo_expires_at: string | null;
  wallet: Wallet;
}

/** A mail to a person, without its content */
export interface Mail {
  id: string;
  account_id: string | null;
  recipient: string;
  locale: string;
  template: string;
  status: 'pending' | 'sent' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  created_at: string;
  settled_at: string | null;
}

export interface MakeAdjustmentRequest {
  type: 'credit' | 'debit';
  amount?: string;
  amount_minor?: number;
  vm_id?: string;
  reason: string;
  key?: string;
}

/** Money of all accounts in a period */
export interface MoneyOfSpan {
  received_minor: number;
  paid_out_minor: number;
  sold_minor: number;
}

/** An invoice or a credit note of any account, without its lines */
export interface MonthDocument {
  account_id: string;
  id: string;
  type: InvoiceType;
  number: string | null;
  status: InvoiceStatus;
  period_start_at: string;
  period_end_at: string;
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  currency: string;
  issued_at: string | null;
  paid_at: string | null;
  seller: InvoiceParty | null;
  buyer: InvoiceParty | null;
  order_reference: string | null;
  corrects: CorrectedInvoice[];
}

/** Between these times, VMs are switched off briefly and moved to another host. A VM that is switched off earlier is moved at once */
export interface MoveWindow {
  from_at: string;
  to_at: string;
}

/** An API key with its text */
export interface NewKey {
  key: string;
  id: string;
  account_id: string;
  name: string;
  hint: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: Scope[];
  allow_cidrs: string[];
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

/** A person with access to the operator's pages */
export interface Operator {
  id: string;
  email: string;
  password: boolean;
  totp: boolean;
  passkeys: number;
  last_sign_in_at: string | null;
  created_at: string;
}

/** An attack on an address of any account */
export interface OperatorAttack {
  id: string;
  account_id: string;
  target_id: string;
  ip: string;
  status: 'ongoing' | 'ended';
  vectors: ('syn_flood' | 'udp_flood' | 'dns_amplification' | 'ntp_amplification' | 'icmp_flood' | 'fragment_flood' | 'other')[];
  severity: 'low' | 'medium' | 'high' | 'critical';
  peak_pps: number;
  peak_bps: number;
  dropped_packets: number;
  started_at: string;
  mitigated_at: string | null;
  ended_at: string | null;
}

/** A link to the operator's pages */
export interface OperatorLink {
  person_id: string;
  url: string;
  expires_at: string;
}

/** The SSH key that every guest authorizes */
export interface OpsKey {
  fingerprint: string;
  previous: string[];
  vms_to_replace: number;
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

/** A guest that belongs to no VM */
export interface Orphan {
  id: string;
  engine: string;
  vcpu: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
  addresses: string[];
  found_at: string;
}

/** A period in which a region or a VM was unavailable */
export interface Outage {
  id: string;
  region: string | null;
  vm_id: string | null;
  from_at: string;
  to_at: string;
  reason: string;
  actor: string;
  status: 'open' | 'crediting' | 'credited';
  created_at: string;
}

/** Status of the service */
export interface Overview {
  version: string;
  database: string;
  compute: string;
  edge: string;
  currency: string;
  today: MoneyOfSpan;
  month: MoneyOfSpan;
  accounts_active: number;
  accounts_suspended: number;
  vms_total: number;
  vms_running: number;
  vms_error: number;
  vms_unpaid: number;
  jobs_active: number;
  jobs_stuck: number;
  mails_failed: number;
  transfers_waiting: number;
  transfers_waiting_minor: number;
  attacks_ongoing: number;
}

/** A payment to compare with the amount that was really received */
export interface PaymentSample {
  id: string;
  account_id: string;
  method: string;
  reference: string;
  amount_minor: number;
  created_at: string;
}

/** Credit granted to an account, and its remaining amount */
export interface PromoCredit {
  id: string;
  account_id: string;
  amount_minor: number;
  remaining_minor: number;
  expires_at: string;
  revoked_at: string | null;
  reason: string;
  actor: string;
  created_at: string;
  currency: string;
  status: 'active' | 'spent' | 'expired' | 'revoked';
}

export interface RebuildVmRequest {
  template: string;
  ssh_key_ids?: string[];
  delete_snapshots?: boolean;
  user_data?: string;
}

export interface RefundOrderRequest {
  amount?: string;
  amount_minor?: number;
  reason: string;
  key?: string;
}

export interface RefundTopUpRequest {
  amount?: string;
  amount_minor?: number;
  reason: string;
}

export interface RemoveOperatorRequest {
  email: string;
}

/** A former cluster for the VMs of a region */
export interface RemovedCluster {
  region: string;
  removed: true;
}

/** A removed guest that belonged to no VM */
export interface RemovedOrphan {
  id: string;
  engine: string;
  vcpu: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
  addresses: string[];
  found_at: string;
  removed: true;
}

export interface ReportAttackRequest {
  ip: string;
  pps: number;
  bps: number;
  classes: { class: 'syn' | 'tcp' | 'udp' | 'icmp' | 'fragment' | 'other'; packets: number; bytes: number }[];
  ports: { protocol: 'tcp' | 'udp'; port: number; packets: number; bytes: number }[];
  seconds: number;
}

export interface ReportOutageRequest {
  region?: string;
  vm_id?: string;
  from: string;
  to: string;
  reason: string;
  key?: string;
}

/** An attack that was reported */
export interface ReportedAttack {
  attack_id: string;
}

/** Result of a rotation of the installation key */
export interface Resealed {
  key_id: string;
  resealed: number;
  unchanged: number;
  unreadable: number;
}

export interface RestoreVmRequest {
  snapshot_id: string;
}

export type Scope = 'catalog:read' | 'vm:read' | 'vm:write' | 'vm:create' | 'vm:plan' | 'vm:destroy' | 'vm:console' | 'sshkey:read' | 'sshkey:write' | 'billing:read' | 'shield:read' | 'shield:write';

/** The number series of one type of document */
export interface Series {
  type: 'invoice' | 'credit_note';
  last: number;
  asked_at: string | null;
  asked_because: 'moved_database' | 'lost_numbers' | 'lost_payment' | null;
  at_least: number;
  gaps: SeriesGap[];
}

/** Numbers without a document in the books */
export interface SeriesGap {
  first: number;
  last: number;
  recorded_at: string;
  recorded_by: string;
}

export interface SetAccountLimitsRequest {
  limits: { vms?: number | null; vcpu?: number | null; ram_mb?: number | null; disk_gb?: number | null; snapshots_per_vm?: number | null; firewall_rules_per_vm?: number | null; port_forwards_per_vm?: number | null; ssh_keys?: number | null };
}

export interface SetAccountSmtpRequest {
  open: boolean;
}

export interface SetBillingProfileRequest {
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode?: string;
  country: string;
  vat_id?: string;
  exempt_reason?: string;
  order_reference?: string | null;
  language?: 'en' | 'de' | null;
  mail_to?: string[];
}

export interface SetBooksExponentRequest {
  exponent: number;
}

export interface SetSeriesRequest {
  invoice: number;
  credit_note: number;
}

export interface SetTargetBlackholeRequest {
  minutes: number | null;
}

export interface SetTargetModeRequest {
  mode: 'always_on' | 'sensor' | 'off';
}

export interface SetTargetThresholdRequest {
  pps: number | null;
  bps: number | null;
}

/** A link that signs a person in */
export interface SignInLink {
  person_id: string;
  url: string;
  expires_at: string;
}

/** A simulated attack */
export interface SimulatedAttack {
  target_id: string;
  vector: 'syn_flood' | 'udp_flood' | 'dns_amplification' | 'ntp_amplification' | 'icmp_flood' | 'fragment_flood';
  pps: number;
  seconds: number;
  started_at: string;
}

/** A snapshot of a VM */
export interface Snapshot {
  id: string;
  name: string;
  description: string | null;
  status: SnapshotStatus;
  size_bytes: number | null;
  includes_memory: boolean;
  created_at: string;
}

export type SnapshotStatus = 'creating' | 'available' | 'deleting' | 'error';

export interface StartAttackRequest {
  vector: 'syn_flood' | 'udp_flood' | 'dns_amplification' | 'ntp_amplification' | 'icmp_flood' | 'fragment_flood';
  pps: number;
  seconds: number;
}

/** A job that was started on a VM */
export interface StartedJob {
  vm_id: string;
  job_id: string;
  kind: JobKind;
}

/** A job that reinstalls a VM */
export interface StartedRebuild {
  vm_id: string;
  job_id: string;
  kind: JobKind;
  template: string;
  initial_password: string | null;
}

/** A job that restores a VM to a snapshot */
export interface StartedRestore {
  vm_id: string;
  job_id: string;
  kind: JobKind;
  snapshot: { id: string; name: string; created_at: string };
}

/** An entry of an account's journal and the resulting balance */
export interface StatementEntry {
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
  debit: string;
  credit: string;
}

export interface StopVmRequest {
  force?: boolean;
}

/** A suspended account and its stopped VMs */
export interface StoppedAccount {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  currency: string;
  wallet: Wallet;
  vm_count: number;
  limits: { vms: number; vcpu: number; ram_mb: number; disk_gb: number; snapshots_per_vm: number; firewall_rules_per_vm: number; port_forwards_per_vm: number; ssh_keys: number };
  smtp: 'open' | 'closed';
  created_at: string;
  stopped: string[];
  left: string[];
}

export interface SuspendAccountRequest {
  stop_vms?: boolean;
}

/** A protected address */
export interface Target {
  id: string;
  tenant_id: string;
  ip: string;
  family: 4 | 6;
  vm_id: string | null;
  mode: 'always_on' | 'sensor' | 'off';
  status: 'clean' | 'under_attack' | 'mitigating';
  rules_count: number;
  threshold: TargetThreshold;
  threshold_in_force: ThresholdInForce;
  blackholed_until: string | null;
  on_edge: boolean;
  last_attack_at: string | null;
  created_at: string;
}

/** Incoming traffic above this rate is treated as an attack; null if learned from the usual traffic */
export interface TargetThreshold {
  pps: number | null;
  bps: number | null;
}

export type TaxCategory = 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope';

/** Billing details, and the tax on purchases from now on */
export interface TaxedProfile {
  profile: BillingProfile | null;
  tax: { category: 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope'; rate: string; reason: string | null };
}

/** A DDoS Shield tenant: a group of targets of an account */
export interface Tenant {
  id: string;
  account_id: string;
  name: string;
  created_at: string;
}

/** Threshold in effect for incoming traffic: the configured value, or otherwise the one learned up to the last minute */
export interface ThresholdInForce {
  pps: number;
  bps: number;
}

/** A top-up by a customer */
export interface TopUp {
  id: string;
  account_id: string;
  provider: string;
  cause: 'person' | 'auto';
  status: 'pending' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled';
  amount_minor: number;
  currency: string;
  reference: string;
  provider_ref: string | null;
  error: string | null;
  payment_id: string | null;
  created_at: string;
  expires_at: string | null;
  settled_at: string | null;
}

/** A refund of a top-up */
export interface TopUpRefund {
  id: string;
  top_up_id: string;
  account_id: string;
  amount_minor: number;
  status: 'pending' | 'succeeded' | 'failed';
  reason: string;
  actor: string;
  payment_id: string;
  provider_ref: string | null;
  error: string | null;
  created_at: string;
  settled_at: string | null;
}

/** A payment that a provider has but the books do not */
export interface UnbookedPayment {
  id: string;
  status: 'open' | 'booked' | 'dismissed';
  provider: string;
  provider_ref: string;
  account_id: string | null;
  top_up_id: string;
  amount_minor: number;
  currency: string;
  paid_at: string;
  found_at: string;
  decided_at: string | null;
  decided_by: string | null;
  reason: string | null;
  payment_id: string | null;
  taken_back_minor: number;
}

/** A VM of any account */
export interface Vm {
  id: string;
  account_id: string;
  hostname: string;
  status: VmStatus;
  plan: string | null;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
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
  paid_until: string;
  unpaid_since: string | null;
  active_job: { id: string; kind: JobKind } | null;
  created_at: string;
}

/** A VM with its snapshots and its latest events */
export interface VmDetails {
  id: string;
  account_id: string;
  hostname: string;
  status: VmStatus;
  plan: string | null;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
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
  paid_until: string;
  unpaid_since: string | null;
  active_job: { id: string; kind: JobKind } | null;
  created_at: string;
  snapshots: Snapshot[];
  events: VmEvent[];
}

/** An entry of the event log of a VM */
export interface VmEvent {
  type: EventType;
  level: 'info' | 'warning' | 'error';
  message: string;
  created_at: string;
}

export type VmStatus = 'provisioning' | 'stopped' | 'starting' | 'running' | 'stopping' | 'rebooting' | 'resizing' | 'deleting' | 'suspended' | 'error';

export interface VoidOrderRequest {
  reason: string;
  key?: string;
}

/** Wallet of an account */
export interface Wallet {
  balance_minor: number;
  held_minor: number;
  available_minor: number;
  promo_minor: number;
  claimed_minor: number;
}

/** The input of each operation, and its output under `data`. */
export interface OperatorOperations {
  getOverview: { data: Overview };
  createAccount: { body: CreateAccountRequest; data: Account };
  listAccounts: { query: { limit?: number; cursor?: string; search?: string }; data: Account[]; list: true };
  getAccount: { params: { id: string }; data: AccountWithKeys };
  listMembers: { params: { id: string }; data: AccountMember[] };
  suspendAccount: { params: { id: string }; body: SuspendAccountRequest; data: Account | StoppedAccount };
  resumeAccount: { params: { id: string }; data: Account };
  closeAccount: { params: { id: string }; data: Account };
  setAccountLimits: { params: { id: string }; body: SetAccountLimitsRequest; data: Account };
  setAccountSmtp: { params: { id: string }; body: SetAccountSmtpRequest; data: Account };
  listScopes: { data: { scope: Scope; grants: string }[] };
  createKey: { params: { id: string }; body: CreateKeyRequest; data: NewKey };
  listKeys: { params: { id: string }; data: Key[] };
  revokeKey: { params: { id: string }; data: Key };
  creditAccount: { params: { id: string }; body: CreditAccountRequest; data: BookedPayment };
  debitAccount: { params: { id: string }; body: DebitAccountRequest; data: BookedPayment };
  listTopUps: { query: { limit?: number; cursor?: string; status?: 'pending' | 'processing' | 'succeeded' | 'failed' | 'expired' | 'canceled'; provider?: string }; data: TopUp[]; list: true };
  confirmTopUp: { params: { id: string }; body: ConfirmTopUpRequest; data: TopUp };
  refundTopUp: { params: { id: string }; body: RefundTopUpRequest; data: TopUpRefund };
  listUnbookedPayments: { query: { limit?: number; cursor?: string; status?: 'open' | 'booked' | 'dismissed' }; data: UnbookedPayment[]; list: true };
  bookUnbookedPayment: { params: { id: string }; body: BookUnbookedPaymentRequest; data: UnbookedPayment };
  dismissUnbookedPayment: { params: { id: string }; body: DismissUnbookedPaymentRequest; data: UnbookedPayment };
  makeAdjustment: { params: { id: string }; body: MakeAdjustmentRequest; data: MadeAdjustment };
  listAdjustments: { params: { id: string }; query: { limit?: number; cursor?: string }; data: Adjustment[]; list: true };
  refundOrder: { params: { id: string }; body: RefundOrderRequest; data: MadeAdjustment };
  voidOrder: { params: { id: string }; body: VoidOrderRequest; data: MadeAdjustment };
  createSignInLink: { body: CreateSignInLinkRequest; data: SignInLink };
  grantPromoCredit: { params: { id: string }; body: GrantPromoCreditRequest; data: ChangedPromoCredit };
  listPromoCredits: { query: { limit?: number; cursor?: string; account_id?: string }; data: PromoCredit[]; list: true };
  revokePromoCredit: { params: { id: string }; data: ChangedPromoCredit };
  reportOutage: { body: ReportOutageRequest; data: Outage };
  listOutages: { query: { limit?: number; cursor?: string }; data: CreditedOutage[]; list: true };
  creditOutage: { params: { id: string }; data: CreditedOutage };
  getBillingProfile: { params: { id: string }; data: TaxedProfile };
  setBillingProfile: { params: { id: string }; body: SetBillingProfileRequest; data: TaxedProfile };
  listOrders: { params: { id: string }; query: { limit?: number; cursor?: string }; data: Order[]; list: true };
  listInvoices: { params: { id: string }; query: { limit?: number; cursor?: string }; data: ListedInvoice[]; list: true };
  getInvoice: { params: { id: string }; data: Invoice };
  getInvoiceDocument: { params: { id: string }; query: { format: 'pdf' | 'xml' }; data: InvoiceDocument };
  listDocuments: { query: { month: string; limit?: number; cursor?: string }; data: MonthDocument[]; list: true };
  downloadDocuments: { query: { month: string }; line: string };
  listHeldDocuments: { query: { limit?: number; cursor?: string }; data: HeldDocument[]; list: true };
  getStatement: { params: { id: string }; query: { from?: string; to?: string }; line: StatementEntry };
  exportBookings: { query: { month: string; format: 'csv' | 'datev'; part?: number }; line: string };
  exportSales: { query: { month: string }; line: string };
  auditBooks: { data: AuditReport };
  getBooks: { data: Books };
  setBooksExponent: { body: SetBooksExponentRequest; data: Books };
  getSeries: { data: Series[] };
  setSeries: { body: SetSeriesRequest; data: Series[] };
  listVms: { query: { limit?: number; cursor?: string; account?: string; search?: string; payment?: 'unpaid'; status?: 'provisioning' | 'stopped' | 'starting' | 'running' | 'stopping' | 'rebooting' | 'resizing' | 'deleting' | 'suspended' | 'error' }; data: Vm[]; list: true };
  getVm: { params: { id: string }; data: VmDetails };
  stopVm: { params: { id: string }; body: StopVmRequest; data: StartedJob };
  restoreVm: { params: { id: string }; body: RestoreVmRequest; data: StartedRestore };
  rebuildVm: { params: { id: string }; body: RebuildVmRequest; data: StartedRebuild };
  listJobs: { query: { limit?: number; cursor?: string; state?: 'stuck' | 'active' | 'abandoned' }; data: Job[]; list: true };
  getJob: { params: { id: string }; data: Job };
  retryJob: { params: { id: string }; data: Job };
  abandonJob: { params: { id: string }; data: Job };
  createTenant: { params: { id: string }; body: CreateTenantRequest; data: Tenant };
  listTenants: { query: { limit?: number; cursor?: string }; data: Tenant[]; list: true };
  getTenant: { params: { id: string }; data: Tenant };
  listAllTargets: { query: { limit?: number; cursor?: string }; data: Target[]; list: true };
  listTargets: { params: { id: string }; query: { limit?: number; cursor?: string }; data: Target[]; list: true };
  addTarget: { params: { id: string }; body: AddTargetRequest; data: Target };
  getTarget: { params: { id: string }; data: Target };
  setTargetMode: { params: { id: string }; body: SetTargetModeRequest; data: Target };
  setTargetThreshold: { params: { id: string }; body: SetTargetThresholdRequest; data: Target };
  setTargetBlackhole: { params: { id: string }; body: SetTargetBlackholeRequest; data: Target };
  removeTarget: { params: { id: string }; data: { id: string; removed: true } };
  listAttacks: { query: { limit?: number; cursor?: string; status?: 'ongoing' | 'ended' }; data: OperatorAttack[]; list: true };
  startAttack: { params: { id: string }; body: StartAttackRequest; data: SimulatedAttack };
  stopAttack: { params: { id: string }; data: { target_id: string; stopped: number } };
  reportAttack: { body: ReportAttackRequest; data: ReportedAttack };
  endReportedAttack: { body: EndReportedAttackRequest; data: EndedReport };
  listOrphans: { query: { limit?: number; cursor?: string }; data: Orphan[]; list: true };
  removeOrphan: { params: { id: string }; data: RemovedOrphan };
  importImage: { body: ImportImageRequest; data: Image };
  listImages: { data: Image[] };
  removeImage: { params: { name: string }; data: { name: string; removed: true } };
  collectImages: { data: CollectedImages };
  getHost: { data: Host };
  checkCluster: { data: ClusterCheck };
  addCluster: { body: AddClusterRequest; data: Cluster };
  listClusters: { data: Cluster[] };
  changeCluster: { params: { region: string }; body: ChangeClusterRequest; data: Cluster };
  removeCluster: { params: { region: string }; data: RemovedCluster };
  getCapacity: { data: Capacity };
  drainHost: { body: DrainHostRequest; data: DrainedHost };
  resumeHost: { data: { resumed: true } };
  listHosts: { data: HostMachine[] };
  emptyHost: { params: { host: string }; body: EmptyHostRequest; data: HostMachine };
  undrainHost: { params: { host: string }; data: HostMachine };
  loseHost: { params: { host: string }; data: HostMachine };
  findHost: { params: { host: string }; data: HostMachine };
  addOperator: { body: AddOperatorRequest; data: OperatorLink };
  listOperators: { data: Operator[] };
  createOperatorLink: { body: CreateOperatorLinkRequest; data: OperatorLink };
  removeOperator: { body: RemoveOperatorRequest; data: { id: string; removed: true } };
  listMails: { query: { limit?: number; cursor?: string; status?: 'pending' | 'sent' | 'failed' }; data: Mail[]; list: true };
  retryMail: { params: { id: string }; data: Mail };
  rotateSecrets: { data: Resealed };
  getOpsKey: { data: OpsKey };
  rotateOpsKey: { data: OpsKey };
  listLog: { query: { limit?: number; cursor?: string }; data: LogEntry[]; list: true };
}

/** The method and path of each operation; `once` if it requires an Idempotency-Key, `list` if it is read page by page. */
export const OPERATOR_OPERATIONS = {
  getOverview: ['GET', '/overview'],
  createAccount: ['POST', '/accounts'],
  listAccounts: ['GET', '/accounts', 'list'],
  getAccount: ['GET', '/accounts/{id}'],
  listMembers: ['GET', '/accounts/{id}/members'],
  suspendAccount: ['POST', '/accounts/{id}/suspend'],
  resumeAccount: ['POST', '/accounts/{id}/resume'],
  closeAccount: ['POST', '/accounts/{id}/close'],
  setAccountLimits: ['POST', '/accounts/{id}/limits'],
  setAccountSmtp: ['POST', '/accounts/{id}/smtp'],
  listScopes: ['GET', '/scopes'],
  createKey: ['POST', '/accounts/{id}/keys'],
  listKeys: ['GET', '/accounts/{id}/keys'],
  revokeKey: ['POST', '/keys/{id}/revoke'],
  creditAccount: ['POST', '/accounts/{id}/credits'],
  debitAccount: ['POST', '/accounts/{id}/debits'],
  listTopUps: ['GET', '/top-ups', 'list'],
  confirmTopUp: ['POST', '/top-ups/{id}/confirm'],
  refundTopUp: ['POST', '/top-ups/{id}/refunds'],
  listUnbookedPayments: ['GET', '/unbooked-payments', 'list'],
  bookUnbookedPayment: ['POST', '/unbooked-payments/{id}/book'],
  dismissUnbookedPayment: ['POST', '/unbooked-payments/{id}/dismiss'],
  makeAdjustment: ['POST', '/accounts/{id}/adjustments'],
  listAdjustments: ['GET', '/accounts/{id}/adjustments', 'list'],
  refundOrder: ['POST', '/orders/{id}/refund'],
  voidOrder: ['POST', '/orders/{id}/void'],
  createSignInLink: ['POST', '/people/sign-in-link'],
  grantPromoCredit: ['POST', '/accounts/{id}/promo-credits'],
  listPromoCredits: ['GET', '/promo-credits', 'list'],
  revokePromoCredit: ['POST', '/promo-credits/{id}/revoke'],
  reportOutage: ['POST', '/outages'],
  listOutages: ['GET', '/outages', 'list'],
  creditOutage: ['POST', '/outages/{id}/credit'],
  getBillingProfile: ['GET', '/accounts/{id}/billing-profile'],
  setBillingProfile: ['POST', '/accounts/{id}/billing-profile'],
  listOrders: ['GET', '/accounts/{id}/orders', 'list'],
  listInvoices: ['GET', '/accounts/{id}/invoices', 'list'],
  getInvoice: ['GET', '/invoices/{id}'],
  getInvoiceDocument: ['GET', '/invoices/{id}/document'],
  listDocuments: ['GET', '/documents', 'list'],
  downloadDocuments: ['GET', '/documents/archive'],
  listHeldDocuments: ['GET', '/held-documents', 'list'],
  getStatement: ['GET', '/accounts/{id}/statement'],
  exportBookings: ['GET', '/bookings'],
  exportSales: ['GET', '/sales'],
  auditBooks: ['POST', '/audit'],
  getBooks: ['GET', '/books'],
  setBooksExponent: ['POST', '/books/exponent'],
  getSeries: ['GET', '/books/series'],
  setSeries: ['POST', '/books/series'],
  listVms: ['GET', '/vms', 'list'],
  getVm: ['GET', '/vms/{id}'],
  stopVm: ['POST', '/vms/{id}/stop'],
  restoreVm: ['POST', '/vms/{id}/restore'],
  rebuildVm: ['POST', '/vms/{id}/rebuild'],
  listJobs: ['GET', '/jobs', 'list'],
  getJob: ['GET', '/jobs/{id}'],
  retryJob: ['POST', '/jobs/{id}/retry'],
  abandonJob: ['POST', '/jobs/{id}/abandon'],
  createTenant: ['POST', '/accounts/{id}/tenants'],
  listTenants: ['GET', '/tenants', 'list'],
  getTenant: ['GET', '/tenants/{id}'],
  listAllTargets: ['GET', '/targets', 'list'],
  listTargets: ['GET', '/tenants/{id}/targets', 'list'],
  addTarget: ['POST', '/tenants/{id}/targets'],
  getTarget: ['GET', '/targets/{id}'],
  setTargetMode: ['POST', '/targets/{id}/mode'],
  setTargetThreshold: ['POST', '/targets/{id}/threshold'],
  setTargetBlackhole: ['POST', '/targets/{id}/blackhole'],
  removeTarget: ['POST', '/targets/{id}/remove'],
  listAttacks: ['GET', '/attacks', 'list'],
  startAttack: ['POST', '/targets/{id}/attack'],
  stopAttack: ['POST', '/targets/{id}/attack/stop'],
  reportAttack: ['POST', '/attacks/reports'],
  endReportedAttack: ['POST', '/attacks/reports/end'],
  listOrphans: ['GET', '/orphans', 'list'],
  removeOrphan: ['POST', '/orphans/{id}/remove'],
  importImage: ['POST', '/images'],
  listImages: ['GET', '/images'],
  removeImage: ['POST', '/images/{name}/remove'],
  collectImages: ['POST', '/images/collect'],
  getHost: ['GET', '/host'],
  checkCluster: ['GET', '/cluster'],
  addCluster: ['POST', '/clusters'],
  listClusters: ['GET', '/clusters'],
  changeCluster: ['POST', '/clusters/{region}/change'],
  removeCluster: ['POST', '/clusters/{region}/remove'],
  getCapacity: ['GET', '/host/capacity'],
  drainHost: ['POST', '/host/drain'],
  resumeHost: ['POST', '/host/resume'],
  listHosts: ['GET', '/hosts'],
  emptyHost: ['POST', '/hosts/{host}/drain'],
  undrainHost: ['POST', '/hosts/{host}/undrain'],
  loseHost: ['POST', '/hosts/{host}/lose'],
  findHost: ['POST', '/hosts/{host}/find'],
  addOperator: ['POST', '/operators'],
  listOperators: ['GET', '/operators'],
  createOperatorLink: ['POST', '/operators/sign-in-link'],
  removeOperator: ['POST', '/operators/remove'],
  listMails: ['GET', '/mails', 'list'],
  retryMail: ['POST', '/mails/{id}/retry'],
  rotateSecrets: ['POST', '/secrets/rotate'],
  getOpsKey: ['GET', '/ops-key'],
  rotateOpsKey: ['POST', '/ops-key/rotate'],
  listLog: ['GET', '/log', 'list'],
} as const;
