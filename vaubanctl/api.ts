/** What the operator API answers under `data`. Instants are RFC 3339, `*_minor` amounts integers. */
export interface Account {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  currency: string;
  wallet: Wallet;
  vm_count: number;
  limits: Record<string, number>;
  /** Port 25 of others, for its VMs. */
  smtp: 'open' | 'closed';
  created_at: string;
}

export interface Wallet {
  balance_minor: number;
  held_minor: number;
  available_minor: number;
  /** Of what is available. */
  promo_minor: number;
}

/** An invoice or a credit note with its lines. */
export interface Invoice {
  id: string;
  account_id: string;
  type: string;
  number: string | null;
  status: string;
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  currency: string;
  seller: Party | null;
  buyer: Party | null;
  lines: {
    description: string;
    from_at: string;
    to_at: string;
    tax_category: string;
    tax_rate: string;
    amount_minor: number;
  }[];
}

/** Who sells or buys. */
export interface Party {
  name: string;
  country: string | null;
  vat_id: string | null;
}

/** Who an account's invoices are for, and how what it buys is taxed. */
export interface TaxedProfile {
  profile: {
    kind: string;
    name: string;
    street: string;
    city: string;
    postcode: string | null;
    country: string;
    vat_id: string | null;
    exempt_reason: string | null;
  } | null;
  tax: { category: string; rate: string; reason: string | null };
}

export interface Payment {
  id: string;
  account_id: string;
  method: string;
  status: string;
  amount_minor: number;
  currency: string;
  reference: string;
  created_at: string;
  settled_at: string | null;
}

export interface Key {
  id: string;
  account_id: string;
  name: string;
  hint: string;
  status: string;
  scopes: string[];
  allow_cidrs: string[];
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

/** A tenant of the DDoS Shield: whose targets an account sees together. */
export interface Tenant {
  id: string;
  account_id: string;
  name: string;
  created_at: string;
}

/** A protected address. */
export interface Target {
  id: string;
  tenant_id: string;
  ip: string;
  family: number;
  vm_id: string | null;
  mode: string;
  status: string;
  rules_count: number;
  /** Whether the edge has what the database says. */
  on_edge: boolean;
  last_attack_at: string | null;
  created_at: string;
}

/** Work on a VM that takes time. */
export interface Job {
  id: string;
  account_id: string;
  vm_id: string;
  kind: string;
  status: string;
  step: number;
  undoing: boolean;
  /** Failures in a row at the step that it is at. */
  attempts: number;
  /** Null: as soon as there is room. */
  next_attempt_at: string | null;
  /** Whether a node works on it now. */
  owned: boolean;
  abandoned: boolean;
  error: { code: string; message: string } | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** What became of everything that is sealed with an installation key. */
export interface Resealed {
  key_id: string;
  resealed: number;
  unchanged: number;
  unreadable: number;
}

/** A VM of any account. */
export interface Vm {
  id: string;
  account_id: string;
  hostname: string;
  status: string;
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
  price_hourly: string;
  billing_mode: 'monthly' | 'hourly';
  next_billing_mode: 'monthly' | 'hourly';
  currency: string;
  paid_until: string;
  unpaid_since: string | null;
  active_job: { id: string; kind: string } | null;
  created_at: string;
}

export interface VmEvent {
  type: string;
  level: string;
  message: string;
  created_at: string;
}

/** One deed of an operator, and its HTTP status; null where it was cut off. */
export interface LogEntry {
  id: string;
  uid: number | null;
  pid: number | null;
  user_name: string | null;
  login_name: string | null;
  deed: string;
  input: Record<string, unknown>;
  status: number | null;
  created_at: string;
}

/** The one shape of every refusal. */
export interface Refusal {
  error: {
    code: string;
    message: string;
    details?: { fields?: { field: string; message: string }[]; [name: string]: unknown };
  };
}

/** The SSH key that every guest authorizes: fingerprints, previous ones newest first. */
export interface OpsKey {
  fingerprint: string;
  previous: string[];
  vms_to_replace: number;
}

/** What an audit of the books found. */
export interface AuditReport {
  started_at: string;
  finished_at: string;
  accounts: number;
  laws: number;
  findings: { law: string; what: string }[];
  truncated: boolean;
}
