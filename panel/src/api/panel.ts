// What only the panel can do, as agreed; `npm run generate` replaces this file by what the service describes.

export type Role = 'owner' | 'operator' | 'viewer';

export interface Site {
  name: string;
  logo_url: string | null;
  colour: string | null;
  languages: string[];
  sign_up: 'open' | 'invitation' | 'closed';
  terms_url: string | null;
  support_url: string | null;
  signed_in: boolean;
}

export interface Person {
  id: string;
  email: string;
  name: string | null;
  locale: string;
  email_verified_at: string | null;
}

export interface Session {
  person: Person;
  account: { id: string; name: string };
  role: Role;
  scopes: string[];
  accounts: { id: string; name: string; role: Role }[];
  confirmed_until: string | null;
  factors: { password: boolean; totp: boolean; passkeys: number; recovery_codes: number };
}

export interface SessionEntry {
  id: string;
  current: boolean;
  ip: string;
  user_agent: string | null;
  created_at: string;
  last_used_at: string;
}

export interface ApiKey {
  id: string;
  label: string;
  prefix: string;
  scopes: string[];
  allowed_ips: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface Member {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'invited';
  created_at: string;
}

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string | null;
  ip: string | null;
}

export interface BillingProfile {
  name: string | null;
  company: string | null;
  address_line1: string | null;
  address_line2: string | null;
  postal_code: string | null;
  city: string | null;
  country: string | null;
  vat_id: string | null;
}

export interface TopUp {
  id: string;
  provider: string;
  status: 'pending' | 'succeeded' | 'failed' | 'expired';
  amount_minor: number;
  currency: string;
  created_at: string;
  settled_at: string | null;
}

export interface PaymentProvider {
  id: string;
  name: string;
  minimum_minor: number;
  maximum_minor: number;
  can_store: boolean;
}

export type NextStep =
  | { kind: 'redirect'; url: string }
  | {
      kind: 'bank_transfer';
      reference: string;
      recipient: string;
      iban: string;
      bic: string | null;
    }
  | { kind: 'done' };

export interface AutoTopUp {
  enabled: boolean;
  threshold_minor: number;
  amount_minor: number;
  payment_method_id: string | null;
}

/** What each operation takes, and what it answers under `data`. */
export interface PanelOperations {
  getSite: { data: Site };
  signUp: {
    body: { email: string; password: string; name?: string; locale?: string; invitation?: string };
    data: null;
  };
  verifyEmail: { body: { token: string }; data: null };
  signIn: { body: { email: string; password: string }; data: { next: 'signed_in' | 'second_factor' } };
  signInSecondFactor: { body: { code: string }; data: { next: 'signed_in' } };
  signInWithRecoveryCode: { body: { code: string }; data: { next: 'signed_in' } };
  beginPasskeySignIn: { data: { options: Record<string, unknown> } };
  signInWithPasskey: { body: { response: Record<string, unknown> }; data: { next: 'signed_in' } };
  signInByLink: { body: { token: string }; data: { next: 'signed_in' | 'second_factor' } };
  requestPasswordReset: { body: { email: string }; data: null };
  resetPasswordByMail: { body: { token: string; password: string }; data: null };
  getSession: { data: Session };
  switchAccount: { body: { account_id: string }; data: Session };
  confirmSession: { body: { password: string }; data: { confirmed_until: string } };
  signOut: { data: null };
  listSessions: { data: SessionEntry[] };
  revokeSession: { params: { id: string }; data: null };
  restoreSnapshot: { params: { id: string; snapshot_id: string }; data: { job: { id: string } } };
  rebuildVm: { params: { id: string }; body: { image: string }; data: { job: { id: string } } };
}

/** Where each operation is. */
export const PANEL_OPERATIONS = {
  getSite: ['GET', '/site'],
  signUp: ['POST', '/sign-up'],
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
  switchAccount: ['POST', '/session/account'],
  confirmSession: ['POST', '/session/confirm'],
  signOut: ['DELETE', '/session'],
  listSessions: ['GET', '/sessions'],
  revokeSession: ['DELETE', '/sessions/{id}'],
  restoreSnapshot: ['POST', '/vm/{id}/snapshots/{snapshot_id}/restore'],
  rebuildVm: ['POST', '/vm/{id}/rebuild'],
} as const;
