// Made from the endpoints of the service by `npm run generate`: do not edit.

import { ApiError } from './errors.ts';
import type { List } from './list.ts';
import type { PaidOptions, RequestOptions } from './options.ts';

/** The error. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  details?: ErrorDetails;
}

export type ErrorCode = 'idempotency_key_missing' | 'idempotency_key_invalid' | 'invalid_json' | 'invalid_cursor' | 'invalid_request' | 'api_key_missing' | 'api_key_invalid' | 'api_key_expired' | 'ip_not_allowed' | 'insufficient_funds' | 'scope_required' | 'not_found' | 'method_not_allowed' | 'account_suspended' | 'idempotency_in_progress' | 'vm_locked' | 'invalid_state' | 'vm_must_be_stopped' | 'vm_suspended' | 'payment_due' | 'guest_agent_unavailable' | 'quota_exceeded' | 'same_plan' | 'price_changed' | 'port_in_use' | 'rule_exists' | 'ssh_key_exists' | 'agent_busy' | 'approval_not_pending' | 'document_unavailable' | 'body_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'validation_failed' | 'unknown_plan' | 'unknown_template' | 'plan_not_available_in_region' | 'disk_shrink_not_supported' | 'idempotency_key_reused' | 'rate_limit_exceeded' | 'headers_too_large' | 'internal_error' | 'service_unavailable' | 'compute_unavailable' | 'capacity_unavailable' | 'agent_unavailable';

/** Details of an error, depending on its code. */
export interface ErrorDetails {
  fields?: FieldProblem[];
  policy?: RateLimitPolicy;
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
  [name: string]: unknown;
}

export type FieldCode = 'required' | 'unknown_field' | 'wrong_type' | 'invalid_format' | 'invalid_characters' | 'not_allowed' | 'not_found' | 'not_available' | 'not_supported' | 'incorrect' | 'duplicate' | 'in_use' | 'conflict' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'too_small' | 'too_large' | 'out_of_range' | 'too_precise' | 'too_weak' | 'in_the_past' | 'in_the_future';

/** An invalid field. */
export interface FieldProblem {
  field: string;
  code: FieldCode;
  message: string;
}

export type RateLimitPolicy = 'key' | 'account' | 'ip';

export type ActorType = 'user' | 'api_key' | 'system';

export interface AddFirewallRuleRequest {
  direction: FirewallDirection;
  action: FirewallAction;
  protocol: FirewallProtocol;
  ports?: string | null;
  cidrs: string[];
  priority?: number;
  enabled?: boolean;
  description?: string | null;
}

export interface AddPortForwardRequest {
  protocol: PortForwardProtocol;
  external_port?: number | null;
  internal_port: number;
  internal_ip?: string;
  description?: string | null;
}

export interface AddShieldRuleRequest {
  action: ShieldAction;
  protocol?: ShieldProtocolName | number;
  source?: string | null;
  source_ports?: string[];
  destination_ports?: string[];
  packet_length?: PacketLength | null;
  tcp_flags?: TcpFlags | null;
  fragments?: ShieldFragments;
  rate?: PacketRate | BitRate | null;
  priority?: number;
  comment?: string | null;
  expires_at?: string | null;
  enabled?: boolean;
  confirm_block_all?: boolean;
}

export interface AddSshKeyRequest {
  name: string;
  public_key: string;
}

export type AdjustmentType = 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';

/** Your decision on a command that is waiting for approval; continues its run */
export interface AgentApproval {
  id: string;
  decision: AgentDecision;
  reason?: string;
}

export type AgentApprovalMode = 'dangerous' | 'all' | 'never';

/** Event `approval.required` */
export interface AgentApprovalRequired {
  type: 'approval.required';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  approval_id: string;
  command_id: string;
  command: string;
  risk: AgentRisk;
  expires_at: string;
}

/** Event `command.completed` */
export interface AgentCommandCompleted {
  type: 'command.completed';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  command_id: string;
  exit_code: number | null;
  duration_ms: number;
  timed_out: boolean;
}

/** Event `command.denied` */
export interface AgentCommandDenied {
  type: 'command.denied';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  command_id: string;
  by: AgentDenier;
  reason: string;
}

/** Event `command.output` */
export interface AgentCommandOutput {
  type: 'command.output';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  command_id: string;
  stream: AgentOutputStream;
  text: string;
  truncated: boolean;
}

/** Event `command.proposed` */
export interface AgentCommandProposed {
  type: 'command.proposed';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  command_id: string;
  command: string;
  reason: string;
  risk: AgentRisk;
}

/** Event `command.started` */
export interface AgentCommandStarted {
  type: 'command.started';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  command_id: string;
}

export type AgentDecision = 'approve' | 'deny';

export type AgentDenier = 'customer' | 'policy';

export interface AgentEntry {
  seq: number;
  role: AgentRole;
  content: string;
  command: string | null;
  exit_code: number | null;
  created_at: string;
}

/** Event `error` */
export interface AgentErrorEvent {
  type: 'error';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  code: string;
  message: string;
  retryable: boolean;
}

/** An event of a run; `type` says which */
export type AgentEvent = AgentRunStarted | AgentMessageDelta | AgentMessageCompleted | AgentCommandProposed | AgentApprovalRequired | AgentCommandStarted | AgentCommandOutput | AgentCommandCompleted | AgentCommandDenied | AgentErrorEvent | AgentRunCompleted;

/** Event `message.completed` */
export interface AgentMessageCompleted {
  type: 'message.completed';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  message_id: string;
  text: string;
}

/** Event `message.delta` */
export interface AgentMessageDelta {
  type: 'message.delta';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  message_id: string;
  text: string;
}

/** The model that the agent uses */
export interface AgentModel {
  provider: AgentProvider;
  name: string;
}

export type AgentOutputStream = 'stdout' | 'stderr';

export interface AgentPendingApproval {
  id: string;
  command_id: string;
  command: string;
  reason: string;
  risk: AgentRisk;
  expires_at: string;
}

export type AgentProvider = 'runbook' | 'openai-compatible' | 'anthropic';

export type AgentRisk = 'safe' | 'caution' | 'dangerous';

export type AgentRole = 'user' | 'assistant' | 'command' | 'system';

/** Event `run.completed` */
export interface AgentRunCompleted {
  type: 'run.completed';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  stop_reason: AgentStopReason;
  usage: AgentUsage;
}

/** Event `run.started` */
export interface AgentRunStarted {
  type: 'run.started';
  seq: number;
  run_id: string;
  session_id: string;
  at: string;
  model: AgentModel;
  approval_mode: AgentApprovalMode;
  max_steps: number;
  resumed: boolean;
}

export interface AgentSession {
  session_id: string;
  started_at: string;
}

export type AgentState = 'idle' | 'running' | 'awaiting_approval';

export interface AgentStatus {
  state: AgentState;
  model: AgentModel;
  session_id: string | null;
  run_id: string | null;
  pending_approval: AgentPendingApproval | null;
  history: AgentEntry[];
}

export type AgentStopReason = 'completed' | 'awaiting_approval' | 'max_steps' | 'canceled' | 'timeout' | 'error';

export interface AgentUsage {
  steps: number;
  input_tokens: number | null;
  output_tokens: number | null;
}

export interface AttachSshKeyRequest {
  ssh_key_id?: string;
  public_key?: string;
}

export interface AttachedSshKey {
  id: string | null;
  name: string | null;
  fingerprint: string;
  algorithm: string;
  public_key: string;
}

/** An attack on a protected IP */
export interface AttackEvent {
  id: string;
  target_id: string;
  ip: string;
  status: AttackStatus;
  vectors: AttackVector[];
  severity: AttackSeverity;
  reason: string;
  started_at: string;
  mitigated_at: string | null;
  ended_at: string | null;
  duration_seconds: number;
  peak_bps: Peak;
  peak_pps: Peak;
  dropped_bytes: number;
  dropped_packets: number;
}

export type AttackSeverity = 'low' | 'medium' | 'high' | 'critical';

export type AttackStatus = 'ongoing' | 'ended';

export type AttackVector = 'syn_flood' | 'udp_flood' | 'dns_amplification' | 'ntp_amplification' | 'icmp_flood' | 'fragment_flood' | 'other';

/** Traffic of a VM in a calendar month (UTC) */
export interface Bandwidth {
  period_start_at: string;
  period_end_at: string;
  in_bytes: number;
  out_bytes: number;
  included_bytes: number | null;
  overage_bytes: number;
  daily: DailyTraffic[];
}

export type BillingMode = 'monthly' | 'hourly';

/** Billing overview of an account */
export interface BillingSummary {
  currency: string;
  available_minor: number;
  promo_minor: number;
  promo_expires_at: string | null;
  debt_minor: number;
  month_to_date_minor: number;
  forecast_month_minor: number;
  active_vm_count: number;
  next_charges: NextCharge[];
  overdue_minor: number;
  shortfall_minor: number;
  usage_minor: number;
  unpaid: UnpaidVm[];
  shield_tenant_ids: string[];
  generated_at: string;
}

export interface BitRate {
  bps: number;
}

/** The reason why an operation would be refused now */
export interface Blocker {
  code: string;
  message: string;
}

export interface Catalog {
  currency: string;
  net_prices: boolean;
  tax_rate: string;
  plans: Plan[];
  regions: Region[];
  templates: Template[];
  custom_limits: CustomLimits;
}

export interface ChangeCustomRequest {
  vcpu?: number;
  ram_mb?: number;
  disk_gb?: number;
  allow_reboot?: boolean;
  max_charge_minor?: number;
}

export interface ChangePlanRequest {
  plan: string;
  resize_disk?: boolean;
  allow_reboot?: boolean;
  max_charge_minor?: number;
}

/** A completed order of a VM */
export interface Charge {
  order_id: string;
  kind: OrderKind;
  amount_minor: number;
  invoice_id: string | null;
  invoice_number: string | null;
  created_at: string;
}

export interface ComponentPrice {
  component: PriceComponent;
  unit: PriceUnit;
  price_hourly: string | null;
  price_monthly: string;
  next_price: NextComponentPrice | null;
}

/** A link that shares a terminal on a VM */
export interface ConsoleShare {
  id: string;
  mode: ShareMode;
  label: string | null;
  max_viewers: number;
  expires_at: string;
  created_at: string;
  viewers: number;
  last_used_at: string | null;
}

export interface ConsoleTicket {
  protocol: 'vnc';
  ws_url: string;
  ticket: string;
  password: string | null;
  expires_at: string;
  expires_in_seconds: number;
  single_use: boolean;
}

export interface CorrectedInvoice {
  invoice_id: string;
  number: string | null;
}

export interface CreateConsoleShareRequest {
  mode: ShareMode;
  ttl_seconds?: number;
  label?: string | null;
  max_viewers?: number;
}

export interface CreateSnapshotRequest {
  name?: string;
  description?: string | null;
}

export interface CreateSshTokenRequest {
  username?: string;
  cols?: number;
  rows?: number;
}

export interface CreateVmRequest {
  plan: string;
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

/** A new VM, the job that creates it and the order that pays for it */
export interface CreatedVm {
  vm: Vm;
  job: Job;
  order: Order;
  initial_password: string | null;
}

/** Sizes of custom configurations */
export interface CustomLimits {
  vcpu: SizeRange;
  ram_mb: SizeRange;
  disk_gb: SizeRange;
}

/** Traffic of a day */
export interface DailyTraffic {
  date: string;
  in_bytes: number;
  out_bytes: number;
}

export interface DeletePreview {
  refund_minor: number;
  refund_promo_minor: number;
  refund_promo_expires_at: string | null;
  usage_minor: number;
  charged_minor: number;
  written_off_minor: number;
  debt_minor: number;
  currency: string;
  unused_seconds: number;
  data_lost: LostData[];
  deletable: boolean;
  blockers: Blocker[];
  as_of: string;
}

/** Confirmation of a deletion */
export interface Deleted {
  id: string;
  deleted: boolean;
}

/** The job that deletes a snapshot */
export interface DeletingSnapshot {
  id: string;
  job: Job;
}

/** A VM, the job that deletes it and the refund */
export interface DeletingVm {
  vm: Vm;
  job: Job;
  refund: Refund;
}

/** The cause of an event */
export interface EventActor {
  type: ActorType;
  id: string | null;
  ip: string | null;
}

export type EventLevel = 'info' | 'warning' | 'error';

export type EventType = 'agent.command_started' | 'billing.adjusted' | 'billing.charged' | 'billing.debt' | 'billing.debt_due' | 'billing.debt_settled' | 'billing.debt_suspended' | 'billing.deletion_due' | 'billing.ended' | 'billing.plan_retires' | 'billing.price_change' | 'billing.renewal_due' | 'billing.suspension_failed' | 'billing.traffic_limited' | 'billing.traffic_used' | 'billing.unpaid' | 'billing.usage_unpaid' | 'billing.written_off' | 'console.ticket_issued' | 'console.token_issued' | 'console_share.created' | 'console_share.revoked' | 'firewall.rule_added' | 'firewall.rule_removed' | 'guest.crashed' | 'guest.powered_off' | 'guest.ready' | 'guest.rebooted' | 'guest.warning' | 'job.failed' | 'port_forward.added' | 'port_forward.removed' | 'snapshot.created' | 'snapshot.deleted' | 'snapshot.restored' | 'vm.created' | 'vm.deleted' | 'vm.move_canceled' | 'vm.move_scheduled' | 'vm.moved' | 'vm.password_reset' | 'vm.rebooted' | 'vm.rebuilt' | 'vm.resized' | 'vm.ssh_key_attached' | 'vm.started' | 'vm.stopped' | 'vm.suspended' | 'vm.updated' | 'vm.create_requested' | 'vm.start_requested' | 'vm.stop_requested' | 'vm.force_stop_requested' | 'vm.reboot_requested' | 'vm.reset_password_requested' | 'vm.attach_ssh_key_requested' | 'vm.change_plan_requested' | 'vm.change_custom_requested' | 'vm.snapshot_create_requested' | 'vm.snapshot_delete_requested' | 'vm.snapshot_restore_requested' | 'vm.rebuild_requested' | 'vm.move_requested' | 'vm.delete_requested';

export type FirewallAction = 'accept' | 'drop';

export type FirewallDirection = 'in' | 'out';

/** Action for packets that match no rule */
export interface FirewallPolicy {
  in: FirewallAction;
  out: FirewallAction;
}

export type FirewallProtocol = 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'esp' | 'gre' | 'any';

/** A firewall rule of a VM */
export interface FirewallRule {
  id: string;
  direction: FirewallDirection;
  action: FirewallAction;
  protocol: FirewallProtocol;
  ports: string | null;
  cidrs: string[];
  priority: number;
  enabled: boolean;
  description: string | null;
  status: NetworkRuleStatus;
  created_at: string;
}

/** The charges of a calendar month, or a credit note with its refunds */
export interface Invoice {
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

/** An invoice or a credit note with its lines */
export interface InvoiceWithLines {
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

export type IpFamily = 4 | 6;

export type IrreversibleField = 'disk_gb';

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

export type JobFilter = 'active' | 'all';

export type JobKind = 'create' | 'start' | 'stop' | 'force_stop' | 'reboot' | 'reset_password' | 'attach_ssh_key' | 'change_plan' | 'change_custom' | 'snapshot_create' | 'snapshot_delete' | 'snapshot_restore' | 'rebuild' | 'move' | 'delete';

export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** Quotas of the account */
export interface Limits {
  vms: number;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  snapshots_per_vm: number;
  firewall_rules_per_vm: number;
  port_forwards_per_vm: number;
  ssh_keys: number;
}

/** Data that is deleted with a VM */
export interface LostData {
  type: LostDataType;
  id: string;
  name: string;
  size_gb: number | null;
}

export type LostDataType = 'volume' | 'snapshot' | 'ip' | 'port_forward';

/** Between these times, VMs are switched off briefly and moved to another host. A VM that is switched off earlier is moved at once */
export interface MoveWindow {
  from_at: string;
  to_at: string;
}

/** An address of a network interface */
export interface NetworkAddress {
  address: string;
  family: IpFamily;
  prefix: number;
  gateway: string;
  primary: boolean;
  rdns: string | null;
  shield: ShieldPlace | null;
}

/** A network interface of a VM */
export interface NetworkInterface {
  id: string;
  name: string;
  mac: string;
  type: NetworkType;
  bandwidth_limit_bps: number | null;
  ips: NetworkAddress[];
}

export type NetworkRuleStatus = 'pending' | 'active' | 'removing' | 'error';

export type NetworkType = 'public' | 'private';

export interface NewConsoleShare {
  id: string;
  mode: ShareMode;
  label: string | null;
  max_viewers: number;
  expires_at: string;
  created_at: string;
  url: string;
}

/** An upcoming renewal */
export interface NextCharge {
  vm_id: string;
  amount_minor: number;
  due_at: string;
}

/** An announced price */
export interface NextComponentPrice {
  price_hourly: string | null;
  price_monthly: string;
  from_at: string;
}

/** An announced price */
export interface NextPlanPrice {
  price_hourly: string | null;
  billing_modes: BillingMode[];
  price_monthly_minor: number;
  price_monthly_net_minor: number;
  from_at: string;
}

/** The next renewal price that differs from the current one, if one is announced */
export interface NextVmPrice {
  price_monthly_minor: number;
  from_at: string;
}

export interface OpsKey {
  name: string;
  fingerprint: string;
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

export interface PacketLength {
  min: number;
  max: number;
}

export interface PacketRate {
  pps: number;
}

/** A new password, and the job that sets it */
export interface PasswordReset {
  vm: Vm;
  job: Job;
  username: string;
  password: string;
}

/** A top-up of the wallet */
export interface Payment {
  id: string;
  method: string;
  status: PaymentStatus;
  amount_minor: number;
  currency: string;
  reference: string;
  created_at: string;
  settled_at: string | null;
}

export type PaymentStatus = 'pending' | 'succeeded' | 'failed' | 'refunded';

/** Highest incoming rate, and its time */
export interface Peak {
  value: number;
  at: string;
}

/** A size at a monthly price */
export interface Plan {
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
  regions: PlanRegion[];
  deprecated: boolean;
}

export type PlanDirection = 'upgrade' | 'downgrade' | 'lateral';

export interface PlanOption {
  plan: PublicPlan;
  current: boolean;
  available: boolean;
  allowed: boolean;
  blocker: Blocker | null;
  net_minor: number;
}

export interface PlanQuote {
  currency: string;
  lines: QuoteLine[];
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  price_hourly: string | null;
  balance_available_minor: number;
  debt_minor: number;
  shortfall_minor: number;
  sufficient: boolean;
  as_of: string;
  valid_until: string;
  direction: PlanDirection;
  credit_minor: number;
  debit_minor: number;
  net_minor: number;
  refund_promo_minor: number;
  refund_promo_expires_at: string | null;
  requires_reboot: boolean;
  allowed: boolean;
  blockers: Blocker[];
  irreversible: IrreversibleField[];
}

/** A region that sells a plan */
export interface PlanRegion {
  code: string;
  available: boolean;
}

/** A port of a shared public address that leads to a VM */
export interface PortForward {
  id: string;
  protocol: PortForwardProtocol;
  external_port: number;
  internal_port: number;
  internal_ip: string;
  public_ip: string;
  description: string | null;
  status: NetworkRuleStatus;
  created_at: string;
}

export type PortForwardProtocol = 'tcp' | 'udp' | 'tcp_udp';

export type PriceComponent = 'vcpu' | 'ram' | 'disk';

export type PriceUnit = 'vcpu' | 'gib' | 'gb';

/** Unit prices of custom configurations */
export interface Prices {
  currency: string;
  tax_included: boolean;
  net_prices: boolean;
  tax_rate: string;
  billing_modes: BillingMode[];
  components: ComponentPrice[];
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

/** The public price list */
export interface PublicPlans {
  currency: string;
  net_prices: boolean;
  tax_rate: string;
  plans: PublicPlan[];
}

/** The current price of an operation */
export interface Quote {
  currency: string;
  lines: QuoteLine[];
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  price_hourly: string | null;
  balance_available_minor: number;
  debt_minor: number;
  shortfall_minor: number;
  sufficient: boolean;
  as_of: string;
  valid_until: string;
}

export interface QuoteLine {
  description: string;
  amount_minor: number;
}

export interface RebootVmRequest {
  timeout_seconds?: number;
}

/** Refund of a deletion */
export interface Refund {
  amount_minor: number;
  promo_minor: number;
  promo_expires_at: string | null;
  charged_minor: number;
  written_off_minor: number;
  debt_minor: number;
  currency: string;
  order_id: string | null;
}

export interface Region {
  code: string;
  name: string;
  country: string;
  zones: string[];
  available: boolean;
  available_zones: string[];
}

export interface ResetPasswordRequest {
  username?: string;
}

export interface RunAgentRequest {
  message?: string;
  approval_mode?: AgentApprovalMode;
  max_steps?: number;
  approval?: AgentApproval;
}

/** Values over time */
export interface Series {
  start_at: string;
  end_at: string;
  step_seconds: number;
  series: Record<string, SeriesValues>;
}

/** One series */
export interface SeriesValues {
  unit: string;
  points: (number | null)[][];
}

export type ShareMode = 'read_only' | 'read_write';

export type ShieldAction = 'block' | 'rate_limit';

export type ShieldFragments = 'any' | 'only' | 'none';

/** Its target in the DDoS Shield */
export interface ShieldPlace {
  tenant_id: string;
  target_id: string;
}

export type ShieldProtocolName = 'any' | 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'gre' | 'esp' | 'ah';

/** A blocking rule of a protected IP */
export interface ShieldRule {
  id: string;
  action: ShieldAction;
  protocol: ShieldProtocolName | number;
  source: string | null;
  source_ports: string[];
  destination_ports: string[];
  packet_length: PacketLength | null;
  tcp_flags: TcpFlags | null;
  fragments: ShieldFragments;
  rate: PacketRate | BitRate | null;
  priority: number;
  comment: string | null;
  expires_at: string | null;
  enabled: boolean;
  origin: ShieldRuleOrigin;
  status: ShieldRuleStatus;
  created_at: string;
}

export type ShieldRuleOrigin = 'user' | 'automatic';

export type ShieldRuleStatus = 'pending' | 'active' | 'error';

export type ShieldStatus = 'clean' | 'under_attack';

/** Overview of a DDoS Shield tenant */
export interface ShieldSummary {
  tenant_id: string;
  status: ShieldStatus;
  targets_total: number;
  targets_under_attack: number;
  active_attacks: number;
  attacks_24h: number;
  attacks_30d: number;
  peak_30d: TrafficPeak;
  rules_total: number;
  rules_limit: number;
}

/** A protected IP */
export interface ShieldTarget {
  id: string;
  ip: string;
  family: IpFamily;
  vm_id: string | null;
  mode: ShieldTargetMode;
  status: ShieldTargetStatus;
  rules_count: number;
  rules_limit: number;
  last_attack_at: string | null;
}

export type ShieldTargetMode = 'always_on' | 'sensor' | 'off';

export type ShieldTargetStatus = 'clean' | 'under_attack' | 'mitigating';

/** Available sizes */
export interface SizeRange {
  min: number;
  max: number;
  step: number;
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

/** A snapshot and the job that creates it */
export interface SnapshotJob {
  snapshot: Snapshot;
  job: Job;
}

export type SnapshotStatus = 'creating' | 'available' | 'deleting' | 'error';

export interface SnapshotUsage {
  gb_months: string;
  price_gb_month: string | null;
  amount_minor: number;
}

/** A stored public key */
export interface SshKey {
  id: string;
  name: string;
  fingerprint: string;
  algorithm: string;
  public_key: string;
  created_at: string;
}

/** A key, and the job that attaches it */
export interface SshKeyJob {
  job: Job;
  ssh_key: AttachedSshKey;
}

export interface SshToken {
  ws_url: string;
  token: string;
  username: string;
  expires_at: string;
  expires_in_seconds: number;
  single_use: boolean;
}

export interface StopVmRequest {
  timeout_seconds?: number;
}

export type TaxCategory = 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope';

export type TcpFlag = 'fin' | 'syn' | 'rst' | 'psh' | 'ack' | 'urg';

export interface TcpFlags {
  set: TcpFlag[];
  unset: TcpFlag[];
}

/** An OS image */
export interface Template {
  code: string;
  name: string;
  os_family: string;
  os_version: string;
  arch: string;
  min_disk_gb: number;
  min_ram_mb: number;
  default_user: string;
  deprecated: boolean;
  available: boolean;
}

/** Speed limit because the traffic has reached a bound; absent if there is none */
export interface Throttle {
  mbps: number;
  cause: ThrottleCause;
}

export type ThrottleCause = 'included_traffic' | 'unpaid_usage';

/** Highest incoming rate of an attack within the last 30 days */
export interface TrafficPeak {
  bps: number;
  pps: number;
}

export interface TrafficUsage {
  used_bytes: number;
  included_bytes: number | null;
  overage_bytes: number;
  price_per_gb: string | null;
  amount_minor: number;
}

/** Schedule of an unpaid VM */
export interface UnpaidVm {
  vm_id: string;
  unpaid_since_at: string;
  suspends_at: string;
  suspended_at: string | null;
  deletes_at: string;
}

export interface UpdateVmRequest {
  hostname?: string;
  notes?: string | null;
  auto_renew?: boolean;
  renewal_priority?: number;
  billing?: BillingMode;
}

/** Usage and limits of an account */
export interface Usage {
  period_start_at: string;
  period_end_at: string;
  vms: number;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  snapshots: number;
  traffic_out_bytes: number;
  cost_to_date_minor: number;
  usage_minor: number;
  currency: string;
  limits: Limits;
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

/** Current and past costs of a VM */
export interface VmBilling {
  currency: string;
  price_monthly_minor: number;
  price_hourly: string | null;
  billing_mode: BillingMode;
  next_billing_mode: BillingMode;
  billing_period_start_at: string;
  billing_period_end_at: string;
  next_charge_at: string | null;
  next_charge_minor: number | null;
  next_price: NextVmPrice | null;
  retires_at: string | null;
  auto_renew: boolean;
  usage_minor: number;
  usage: VmUsage;
  lifetime_charged_minor: number;
  lifetime_refunded_minor: number;
  charges: Charge[];
}

/** An entry of the event log of a VM */
export interface VmEvent {
  id: string;
  type: EventType;
  level: EventLevel;
  message: string;
  actor: EventActor;
  job_id: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
}

/** A VM and the job that was started on it */
export interface VmJob {
  vm: Vm;
  job: Job;
}

/** A VM, the job that changes it and the order that pays for it */
export interface VmJobOrder {
  vm: Vm;
  job: Job;
  order: Order;
  irreversible: IrreversibleField[];
}

export type VmStatus = 'provisioning' | 'stopped' | 'starting' | 'running' | 'stopping' | 'rebooting' | 'resizing' | 'deleting' | 'suspended' | 'error';

/** Usage of a VM that has not been charged yet; all zero if nothing has a price */
export interface VmUsage {
  traffic: TrafficUsage;
  snapshots: SnapshotUsage;
}

/** A volume of a VM */
export interface Volume {
  id: string;
  name: string;
  size_gb: number;
  used_bytes: number | null;
  type: string;
  boot: boolean;
  device: string;
  created_at: string;
}

/** Prepaid money of an account */
export interface Wallet {
  currency: string;
  balance_minor: number;
  held_minor: number;
  available_minor: number;
  promo_minor: number;
  promo_expires_at: string | null;
  debt_minor: number;
  burn_rate_monthly_minor: number;
  runway_days: number | null;
  updated_at: string;
}

export type WantedPower = 'on' | 'off';

/** Every operation, as a method of its resource. */
export interface Resources {
  catalog: {
    /** Get plans, regions and OS images. */
    get(options?: RequestOptions): Promise<Catalog>;
    /** Get the public price list. */
    publicPlans(options?: RequestOptions): Promise<PublicPlans>;
    /** Get unit prices of custom configurations. */
    prices(options?: RequestOptions): Promise<Prices>;
    /** Quote a custom configuration. */
    customQuote(query: { vcpu: number; ram_mb: number; disk_gb: number; billing?: BillingMode; region?: string }, options?: RequestOptions): Promise<Quote>;
  };
  vms: {
    /** List VMs. */
    list(query?: { limit?: number; cursor?: string; status?: VmStatus; region?: string; hostname?: string }, options?: RequestOptions): List<Vm>;
    /** Create a VM. */
    create(body: CreateVmRequest, options?: PaidOptions): Promise<CreatedVm>;
    /** Get one VM. */
    get(vmId: string, query?: { wait_seconds?: number }, options?: RequestOptions): Promise<Vm>;
    /** Change the name, notes or renewal of a VM. */
    update(vmId: string, body: UpdateVmRequest, options?: RequestOptions): Promise<Vm>;
    /** Delete a VM. */
    delete(vmId: string, options?: PaidOptions): Promise<DeletingVm>;
    /** Get CPU, memory, disk and network use over time. */
    metrics(vmId: string, query?: { from?: string; to?: string; step?: number; metrics?: string }, options?: RequestOptions): Promise<Series>;
    /** Get the traffic of a month. */
    bandwidth(vmId: string, query?: { month?: string }, options?: RequestOptions): Promise<Bandwidth>;
    /** List the volumes of a VM. */
    volumes(vmId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<Volume>;
    /** List the network interfaces of a VM and their addresses. */
    networkInterfaces(vmId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<NetworkInterface>;
    /** List the event log of a VM. */
    events(vmId: string, query?: { limit?: number; cursor?: string; type?: EventType; from?: string; to?: string }, options?: RequestOptions): List<VmEvent>;
    /** List the jobs of a VM. */
    jobs(vmId: string, query?: { limit?: number; cursor?: string; wait_seconds?: number; status?: JobFilter }, options?: RequestOptions): List<Job>;
    /** Get the billing of a VM. */
    billing(vmId: string, options?: RequestOptions): Promise<VmBilling>;
    /** Quote a change of plan or size. */
    planQuote(vmId: string, query?: { plan?: string; resize_disk?: boolean; vcpu?: number; ram_mb?: number; disk_gb?: number }, options?: RequestOptions): Promise<PlanQuote>;
    /** List the plans a VM can change to. */
    planOptions(vmId: string, query?: { all?: boolean }, options?: RequestOptions): Promise<PlanOption[]>;
    /** Preview the deletion of a VM. */
    deletePreview(vmId: string, options?: RequestOptions): Promise<DeletePreview>;
    /** Start a VM. */
    start(vmId: string, options?: RequestOptions): Promise<VmJob>;
    /** Stop a VM gracefully. */
    stop(vmId: string, body?: StopVmRequest, options?: RequestOptions): Promise<VmJob>;
    /** Power off a VM. */
    forceStop(vmId: string, options?: RequestOptions): Promise<VmJob>;
    /** Reboot a VM. */
    reboot(vmId: string, body?: RebootVmRequest, options?: RequestOptions): Promise<VmJob>;
    /** Reset a password inside a VM. */
    resetPassword(vmId: string, body?: ResetPasswordRequest, options?: RequestOptions): Promise<PasswordReset>;
    /** Attach an SSH key to a VM. */
    attachSshKey(vmId: string, body?: AttachSshKeyRequest, options?: RequestOptions): Promise<SshKeyJob>;
    /** Change the plan of a VM. */
    changePlan(vmId: string, body: ChangePlanRequest, options?: PaidOptions): Promise<VmJobOrder>;
    /** Change a VM to a custom size. */
    changeCustom(vmId: string, body?: ChangeCustomRequest, options?: PaidOptions): Promise<VmJobOrder>;
  };
  firewall: {
    /** List the firewall rules of a VM. */
    list(vmId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<FirewallRule, { default_policy: FirewallPolicy }>;
    /** Add a firewall rule. */
    add(vmId: string, body: AddFirewallRuleRequest, options?: RequestOptions): Promise<FirewallRule>;
    /** Delete a firewall rule. */
    delete(vmId: string, ruleId: string, options?: RequestOptions): Promise<Deleted>;
  };
  portForwards: {
    /** List the port-forwarding rules of a VM. */
    list(vmId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<PortForward>;
    /** Add a port-forwarding rule. */
    add(vmId: string, body: AddPortForwardRequest, options?: RequestOptions): Promise<PortForward>;
    /** Delete a port-forwarding rule. */
    delete(vmId: string, ruleId: string, options?: RequestOptions): Promise<Deleted>;
  };
  snapshots: {
    /** List the snapshots of a VM. */
    list(vmId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<Snapshot>;
    /** Create a snapshot. */
    create(vmId: string, body?: CreateSnapshotRequest, options?: RequestOptions): Promise<SnapshotJob>;
    /** Delete a snapshot. */
    delete(vmId: string, id: string, options?: RequestOptions): Promise<DeletingSnapshot>;
  };
  sshKeys: {
    /** Get the ops SSH key. */
    ops(options?: RequestOptions): Promise<OpsKey>;
    /** List stored SSH keys. */
    list(query?: { limit?: number; cursor?: string; fingerprint?: string }, options?: RequestOptions): List<SshKey>;
    /** Store an SSH key. */
    add(body: AddSshKeyRequest, options?: RequestOptions): Promise<SshKey>;
    /** Delete a stored SSH key. */
    delete(id: string, options?: RequestOptions): Promise<Deleted>;
  };
  consoles: {
    /** Get a one-time ticket for the screen of a VM. */
    screenTicket(vmId: string, options?: RequestOptions): Promise<ConsoleTicket>;
    /** Create a one-time token for a terminal on a VM. */
    terminalToken(vmId: string, body?: CreateSshTokenRequest, options?: RequestOptions): Promise<SshToken>;
  };
  consoleShares: {
    /** List the active share links of a VM. */
    list(vmId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<ConsoleShare>;
    /** Create a share link for a terminal on a VM. */
    create(vmId: string, body: CreateConsoleShareRequest, options?: RequestOptions): Promise<NewConsoleShare>;
    /** Revoke a share link. */
    delete(vmId: string, id: string, options?: RequestOptions): Promise<Deleted>;
  };
  agent: {
    /** Get status and history of the AI SSH agent. */
    status(vmId: string, options?: RequestOptions): Promise<AgentStatus>;
    /** Start a new AI SSH agent session. */
    clear(vmId: string, options?: RequestOptions): Promise<AgentSession>;
    /** Run the AI SSH agent. */
    run(vmId: string, body?: RunAgentRequest, options?: RequestOptions): AsyncIterable<AgentEvent>;
  };
  billing: {
    /** Get the wallet. */
    wallet(options?: RequestOptions): Promise<Wallet>;
    /** Get the billing overview. */
    summary(options?: RequestOptions): Promise<BillingSummary>;
    /** List invoices. */
    invoices(query?: { limit?: number; cursor?: string; status?: InvoiceStatus; type?: InvoiceType; from?: string; to?: string }, options?: RequestOptions): List<Invoice>;
    /** Get one invoice with its lines. */
    invoice(id: string, options?: RequestOptions): Promise<InvoiceWithLines>;
    /** List payments. */
    payments(query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<Payment>;
    /** List orders. */
    orders(query?: { limit?: number; cursor?: string; vm_id?: string; kind?: OrderKind }, options?: RequestOptions): List<Order>;
    /** Get current usage and limits. */
    usage(options?: RequestOptions): Promise<Usage>;
  };
  shield: {
    /** Get the DDoS Shield overview. */
    summary(tenantId: string, options?: RequestOptions): Promise<ShieldSummary>;
    /** List the protected IPs. */
    targets(tenantId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<ShieldTarget>;
    /** List the blocking rules of a protected IP. */
    rules(tenantId: string, targetId: string, query?: { limit?: number; cursor?: string }, options?: RequestOptions): List<ShieldRule>;
    /** Add a blocking rule. */
    addRule(tenantId: string, targetId: string, body: AddShieldRuleRequest, options?: RequestOptions): Promise<ShieldRule>;
    /** List the attacks on a protected IP. */
    attacks(tenantId: string, targetId: string, query?: { limit?: number; cursor?: string; status?: AttackStatus; from?: string; to?: string }, options?: RequestOptions): List<AttackEvent>;
    /** Get the traffic at the edge over time. */
    traffic(tenantId: string, query?: { target_id?: string; from?: string; to?: string; step?: number }, options?: RequestOptions): Promise<Series>;
    /** Delete a blocking rule. */
    deleteRule(tenantId: string, targetId: string, ruleId: string, options?: RequestOptions): Promise<Deleted>;
  };
}

/** Where each operation is, and how it is treated. */
export const OPERATIONS = {
  getCatalog: ['catalog', 'get', 'GET', '/v1/vm/catalog', 'read', 'nothing'],
  listPublicPlans: ['catalog', 'publicPlans', 'GET', '/v1/public/plans', 'read', 'nothing'],
  getPrices: ['catalog', 'prices', 'GET', '/v1/vm/prices', 'read', 'nothing'],
  getCustomQuote: ['catalog', 'customQuote', 'GET', '/v1/vm/custom-quote', 'read', 'query'],
  listVms: ['vms', 'list', 'GET', '/v1/vm', 'list', 'query'],
  createVm: ['vms', 'create', 'POST', '/v1/vm', 'paid', 'body'],
  getVm: ['vms', 'get', 'GET', '/v1/vm/{id}', 'read', 'query'],
  updateVm: ['vms', 'update', 'PATCH', '/v1/vm/{id}', 'write', 'body'],
  deleteVm: ['vms', 'delete', 'DELETE', '/v1/vm/{id}', 'paid', 'nothing'],
  getVmMetrics: ['vms', 'metrics', 'GET', '/v1/vm/{id}/metrics', 'read', 'query'],
  getVmBandwidth: ['vms', 'bandwidth', 'GET', '/v1/vm/{id}/bandwidth', 'read', 'query'],
  listVolumes: ['vms', 'volumes', 'GET', '/v1/vm/{id}/volumes', 'list', 'query'],
  listNics: ['vms', 'networkInterfaces', 'GET', '/v1/vm/{id}/nics', 'list', 'query'],
  listEvents: ['vms', 'events', 'GET', '/v1/vm/{id}/events', 'list', 'query'],
  listJobs: ['vms', 'jobs', 'GET', '/v1/vm/{id}/jobs', 'list', 'query'],
  getVmBilling: ['vms', 'billing', 'GET', '/v1/vm/{id}/billing', 'read', 'nothing'],
  getPlanQuote: ['vms', 'planQuote', 'GET', '/v1/vm/{id}/plan-quote', 'read', 'query'],
  listPlanOptions: ['vms', 'planOptions', 'GET', '/v1/vm/{id}/plan-options', 'read', 'query'],
  getDeletePreview: ['vms', 'deletePreview', 'GET', '/v1/vm/{id}/delete-preview', 'read', 'nothing'],
  listFirewallRules: ['firewall', 'list', 'GET', '/v1/vm/{id}/firewall', 'list', 'query'],
  addFirewallRule: ['firewall', 'add', 'POST', '/v1/vm/{id}/firewall', 'write', 'body'],
  listPortForwards: ['portForwards', 'list', 'GET', '/v1/vm/{id}/port-forwarding', 'list', 'query'],
  addPortForward: ['portForwards', 'add', 'POST', '/v1/vm/{id}/port-forwarding', 'write', 'body'],
  listSnapshots: ['snapshots', 'list', 'GET', '/v1/vm/{id}/snapshots', 'list', 'query'],
  createSnapshot: ['snapshots', 'create', 'POST', '/v1/vm/{id}/snapshots', 'write', 'body'],
  getOpsKey: ['sshKeys', 'ops', 'GET', '/v1/vm/ops-key', 'read', 'nothing'],
  startVm: ['vms', 'start', 'POST', '/v1/vm/{id}/start', 'write', 'nothing'],
  stopVm: ['vms', 'stop', 'POST', '/v1/vm/{id}/stop', 'write', 'body'],
  forceStopVm: ['vms', 'forceStop', 'POST', '/v1/vm/{id}/force-stop', 'write', 'nothing'],
  rebootVm: ['vms', 'reboot', 'POST', '/v1/vm/{id}/reboot', 'write', 'body'],
  resetPassword: ['vms', 'resetPassword', 'POST', '/v1/vm/{id}/reset-password', 'write', 'body'],
  attachSshKey: ['vms', 'attachSshKey', 'POST', '/v1/vm/{id}/ssh-key', 'write', 'body'],
  deleteFirewallRule: ['firewall', 'delete', 'DELETE', '/v1/vm/{id}/firewall/{rule_id}', 'write', 'nothing'],
  deletePortForward: ['portForwards', 'delete', 'DELETE', '/v1/vm/{id}/port-forwarding/{rule_id}', 'write', 'nothing'],
  deleteSnapshot: ['snapshots', 'delete', 'DELETE', '/v1/vm/{id}/snapshots/{sid}', 'write', 'nothing'],
  changePlan: ['vms', 'changePlan', 'POST', '/v1/vm/{id}/change-plan', 'paid', 'body'],
  changeCustom: ['vms', 'changeCustom', 'POST', '/v1/vm/{id}/change-custom', 'paid', 'body'],
  getConsole: ['consoles', 'screenTicket', 'GET', '/v1/vm/{id}/console', 'read', 'nothing'],
  createSshToken: ['consoles', 'terminalToken', 'POST', '/v1/vm/{id}/ssh-token', 'write', 'body'],
  listConsoleShares: ['consoleShares', 'list', 'GET', '/v1/vm/{id}/console-shares', 'list', 'query'],
  createConsoleShare: ['consoleShares', 'create', 'POST', '/v1/vm/{id}/console-shares', 'write', 'body'],
  deleteConsoleShare: ['consoleShares', 'delete', 'DELETE', '/v1/vm/{id}/console-shares/{sid}', 'write', 'nothing'],
  getAgentStatus: ['agent', 'status', 'GET', '/v1/vm/{id}/ai-agent/status', 'read', 'nothing'],
  clearAgent: ['agent', 'clear', 'POST', '/v1/vm/{id}/ai-agent/clear', 'write', 'nothing'],
  runAgent: ['agent', 'run', 'POST', '/v1/vm/{id}/ai-agent', 'stream', 'body'],
  listSshKeys: ['sshKeys', 'list', 'GET', '/v1/vm/sshkeys', 'list', 'query'],
  addSshKey: ['sshKeys', 'add', 'POST', '/v1/vm/sshkeys', 'write', 'body'],
  deleteSshKey: ['sshKeys', 'delete', 'DELETE', '/v1/vm/sshkeys/{id}', 'write', 'nothing'],
  getWallet: ['billing', 'wallet', 'GET', '/v1/billing/wallet', 'read', 'nothing'],
  getBillingSummary: ['billing', 'summary', 'GET', '/v1/billing/summary', 'read', 'nothing'],
  listInvoices: ['billing', 'invoices', 'GET', '/v1/billing/invoices', 'list', 'query'],
  getInvoice: ['billing', 'invoice', 'GET', '/v1/billing/invoices/{id}', 'read', 'nothing'],
  listPayments: ['billing', 'payments', 'GET', '/v1/billing/payments', 'list', 'query'],
  listOrders: ['billing', 'orders', 'GET', '/v1/billing/orders', 'list', 'query'],
  getUsage: ['billing', 'usage', 'GET', '/v1/client/usage', 'read', 'nothing'],
  getShieldSummary: ['shield', 'summary', 'GET', '/v1/tenants/{tid}/summary', 'read', 'nothing'],
  listShieldTargets: ['shield', 'targets', 'GET', '/v1/tenants/{tid}/targets', 'list', 'query'],
  listShieldRules: ['shield', 'rules', 'GET', '/v1/tenants/{tid}/targets/{id}/rules', 'list', 'query'],
  addShieldRule: ['shield', 'addRule', 'POST', '/v1/tenants/{tid}/targets/{id}/rules', 'write', 'body'],
  listAttackEvents: ['shield', 'attacks', 'GET', '/v1/tenants/{tid}/targets/{id}/events', 'list', 'query'],
  getEdgeTraffic: ['shield', 'traffic', 'GET', '/v1/tenants/{tid}/traffic', 'read', 'query'],
  deleteShieldRule: ['shield', 'deleteRule', 'DELETE', '/v1/tenants/{tid}/targets/{id}/rules/{rid}', 'write', 'nothing'],
} as const;

/** An answer of `idempotency_key_missing`. */
export class IdempotencyKeyMissingError extends ApiError {
  declare readonly code: 'idempotency_key_missing';
}

/** An answer of `idempotency_key_invalid`. */
export class IdempotencyKeyInvalidError extends ApiError {
  declare readonly code: 'idempotency_key_invalid';
}

/** An answer of `invalid_json`. */
export class InvalidJsonError extends ApiError {
  declare readonly code: 'invalid_json';
}

/** An answer of `invalid_cursor`. */
export class InvalidCursorError extends ApiError {
  declare readonly code: 'invalid_cursor';
}

/** An answer of `invalid_request`. */
export class InvalidRequestError extends ApiError {
  declare readonly code: 'invalid_request';
}

/** An answer of `api_key_missing`. */
export class ApiKeyMissingError extends ApiError {
  declare readonly code: 'api_key_missing';
}

/** An answer of `api_key_invalid`. */
export class ApiKeyInvalidError extends ApiError {
  declare readonly code: 'api_key_invalid';
}

/** An answer of `api_key_expired`. */
export class ApiKeyExpiredError extends ApiError {
  declare readonly code: 'api_key_expired';
}

/** An answer of `ip_not_allowed`. */
export class IpNotAllowedError extends ApiError {
  declare readonly code: 'ip_not_allowed';
}

/** An answer of `insufficient_funds`. */
export class InsufficientFundsError extends ApiError {
  declare readonly code: 'insufficient_funds';
}

/** An answer of `scope_required`. */
export class ScopeRequiredError extends ApiError {
  declare readonly code: 'scope_required';
}

/** An answer of `not_found`. */
export class NotFoundError extends ApiError {
  declare readonly code: 'not_found';
}

/** An answer of `method_not_allowed`. */
export class MethodNotAllowedError extends ApiError {
  declare readonly code: 'method_not_allowed';
}

/** An answer of `account_suspended`. */
export class AccountSuspendedError extends ApiError {
  declare readonly code: 'account_suspended';
}

/** An answer of `idempotency_in_progress`. */
export class IdempotencyInProgressError extends ApiError {
  declare readonly code: 'idempotency_in_progress';
}

/** An answer of `vm_locked`. */
export class VmLockedError extends ApiError {
  declare readonly code: 'vm_locked';
}

/** An answer of `invalid_state`. */
export class InvalidStateError extends ApiError {
  declare readonly code: 'invalid_state';
}

/** An answer of `vm_must_be_stopped`. */
export class VmMustBeStoppedError extends ApiError {
  declare readonly code: 'vm_must_be_stopped';
}

/** An answer of `vm_suspended`. */
export class VmSuspendedError extends ApiError {
  declare readonly code: 'vm_suspended';
}

/** An answer of `payment_due`. */
export class PaymentDueError extends ApiError {
  declare readonly code: 'payment_due';
}

/** An answer of `guest_agent_unavailable`. */
export class GuestAgentUnavailableError extends ApiError {
  declare readonly code: 'guest_agent_unavailable';
}

/** An answer of `quota_exceeded`. */
export class QuotaExceededError extends ApiError {
  declare readonly code: 'quota_exceeded';
}

/** An answer of `same_plan`. */
export class SamePlanError extends ApiError {
  declare readonly code: 'same_plan';
}

/** An answer of `price_changed`. */
export class PriceChangedError extends ApiError {
  declare readonly code: 'price_changed';
}

/** An answer of `port_in_use`. */
export class PortInUseError extends ApiError {
  declare readonly code: 'port_in_use';
}

/** An answer of `rule_exists`. */
export class RuleExistsError extends ApiError {
  declare readonly code: 'rule_exists';
}

/** An answer of `ssh_key_exists`. */
export class SshKeyExistsError extends ApiError {
  declare readonly code: 'ssh_key_exists';
}

/** An answer of `agent_busy`. */
export class AgentBusyError extends ApiError {
  declare readonly code: 'agent_busy';
}

/** An answer of `approval_not_pending`. */
export class ApprovalNotPendingError extends ApiError {
  declare readonly code: 'approval_not_pending';
}

/** An answer of `document_unavailable`. */
export class DocumentUnavailableError extends ApiError {
  declare readonly code: 'document_unavailable';
}

/** An answer of `body_too_large`. */
export class BodyTooLargeError extends ApiError {
  declare readonly code: 'body_too_large';
}

/** An answer of `uri_too_long`. */
export class UriTooLongError extends ApiError {
  declare readonly code: 'uri_too_long';
}

/** An answer of `unsupported_media_type`. */
export class UnsupportedMediaTypeError extends ApiError {
  declare readonly code: 'unsupported_media_type';
}

/** An answer of `validation_failed`. */
export class ValidationFailedError extends ApiError {
  declare readonly code: 'validation_failed';
}

/** An answer of `unknown_plan`. */
export class UnknownPlanError extends ApiError {
  declare readonly code: 'unknown_plan';
}

/** An answer of `unknown_template`. */
export class UnknownTemplateError extends ApiError {
  declare readonly code: 'unknown_template';
}

/** An answer of `plan_not_available_in_region`. */
export class PlanNotAvailableInRegionError extends ApiError {
  declare readonly code: 'plan_not_available_in_region';
}

/** An answer of `disk_shrink_not_supported`. */
export class DiskShrinkNotSupportedError extends ApiError {
  declare readonly code: 'disk_shrink_not_supported';
}

/** An answer of `idempotency_key_reused`. */
export class IdempotencyKeyReusedError extends ApiError {
  declare readonly code: 'idempotency_key_reused';
}

/** An answer of `rate_limit_exceeded`. */
export class RateLimitExceededError extends ApiError {
  declare readonly code: 'rate_limit_exceeded';
}

/** An answer of `headers_too_large`. */
export class HeadersTooLargeError extends ApiError {
  declare readonly code: 'headers_too_large';
}

/** An answer of `internal_error`. */
export class InternalError extends ApiError {
  declare readonly code: 'internal_error';
}

/** An answer of `service_unavailable`. */
export class ServiceUnavailableError extends ApiError {
  declare readonly code: 'service_unavailable';
}

/** An answer of `compute_unavailable`. */
export class ComputeUnavailableError extends ApiError {
  declare readonly code: 'compute_unavailable';
}

/** An answer of `capacity_unavailable`. */
export class CapacityUnavailableError extends ApiError {
  declare readonly code: 'capacity_unavailable';
}

/** An answer of `agent_unavailable`. */
export class AgentUnavailableError extends ApiError {
  declare readonly code: 'agent_unavailable';
}

/** The class of each code. */
export const ERROR_CLASSES: Record<ErrorCode, typeof ApiError> = {
  idempotency_key_missing: IdempotencyKeyMissingError,
  idempotency_key_invalid: IdempotencyKeyInvalidError,
  invalid_json: InvalidJsonError,
  invalid_cursor: InvalidCursorError,
  invalid_request: InvalidRequestError,
  api_key_missing: ApiKeyMissingError,
  api_key_invalid: ApiKeyInvalidError,
  api_key_expired: ApiKeyExpiredError,
  ip_not_allowed: IpNotAllowedError,
  insufficient_funds: InsufficientFundsError,
  scope_required: ScopeRequiredError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  account_suspended: AccountSuspendedError,
  idempotency_in_progress: IdempotencyInProgressError,
  vm_locked: VmLockedError,
  invalid_state: InvalidStateError,
  vm_must_be_stopped: VmMustBeStoppedError,
  vm_suspended: VmSuspendedError,
  payment_due: PaymentDueError,
  guest_agent_unavailable: GuestAgentUnavailableError,
  quota_exceeded: QuotaExceededError,
  same_plan: SamePlanError,
  price_changed: PriceChangedError,
  port_in_use: PortInUseError,
  rule_exists: RuleExistsError,
  ssh_key_exists: SshKeyExistsError,
  agent_busy: AgentBusyError,
  approval_not_pending: ApprovalNotPendingError,
  document_unavailable: DocumentUnavailableError,
  body_too_large: BodyTooLargeError,
  uri_too_long: UriTooLongError,
  unsupported_media_type: UnsupportedMediaTypeError,
  validation_failed: ValidationFailedError,
  unknown_plan: UnknownPlanError,
  unknown_template: UnknownTemplateError,
  plan_not_available_in_region: PlanNotAvailableInRegionError,
  disk_shrink_not_supported: DiskShrinkNotSupportedError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  rate_limit_exceeded: RateLimitExceededError,
  headers_too_large: HeadersTooLargeError,
  internal_error: InternalError,
  service_unavailable: ServiceUnavailableError,
  compute_unavailable: ComputeUnavailableError,
  capacity_unavailable: CapacityUnavailableError,
  agent_unavailable: AgentUnavailableError,
};
