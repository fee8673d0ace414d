/**
 * The parts of the API's objects that tests read. openapi.json has all of them, and each reply is checked against it.
 */

export interface Job {
  id: string;
  kind: string;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled';
  error: { code: string } | null;
  finished_at: string | null;
}

export interface Vm {
  id: string;
  hostname: string;
  status: string;
  plan: string | null;
  region: string;
  active_job: Job | null;
  last_job: Job | null;
  ipv4: string | null;
  price_monthly_minor: number;
  billing_period_start_at: string;
  billing_period_end_at: string;
  created_at: string;
}

export interface Order {
  id: string;
  kind: string;
  status: string;
  vm_id: string | null;
  amount_minor: number;
  balance_after_minor: number | null;
  invoice_id: string | null;
  created_at: string;
}

export interface Wallet {
  balance_minor: number;
  held_minor: number;
  available_minor: number;
}

export interface Created {
  vm: Vm;
  job: Job;
  order: Order;
  initial_password: string | null;
}
