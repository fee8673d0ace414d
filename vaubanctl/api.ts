/** What the operator API answers under `data`. Instants are RFC 3339, `*_minor` amounts integers. */
export interface Account {
  id: string;
  name: string;
  currency: string;
  wallet: Wallet;
  vm_count: number;
  limits: Record<string, number>;
  created_at: string;
}

export interface Wallet {
  balance_minor: number;
  held_minor: number;
  available_minor: number;
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

/** A disk of which guests are made. */
export interface Image {
  name: string;
  sha256: string;
  virtual_bytes: number;
  user: string;
  /** Whether guests start from a kernel beside the disk. */
  direct_boot: boolean;
}

/** What guests need of the machine, part by part. */
export interface Host {
  /** The engine that the service runs. */
  compute: string;
  findings: { what: string; state: 'ok' | 'limited' | 'missing'; found: string }[];
}

/** The one shape of every refusal. */
export interface Refusal {
  error: {
    code: string;
    message: string;
    details?: { fields?: { field: string; message: string }[]; [name: string]: unknown };
  };
}
