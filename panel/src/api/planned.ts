// What pages already call and the service does not have yet. As soon as it does, what it describes takes precedence.
import type { PublicPlan } from './customer.ts';
import type { Person, Role, Session } from './panel.ts';

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
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode: string | null;
  country: string;
  vat_id: string | null;
  updated_at: string;
}

export interface TopUp {
  id: string;
  provider: string;
  cause: 'person' | 'auto';
  status: 'pending' | 'succeeded' | 'failed' | 'expired';
  amount_minor: number;
  currency: string;
  reference: string;
  error: string | null;
  payment_id: string | null;
  created_at: string;
  expires_at: string | null;
  settled_at: string | null;
}

export interface PaymentProvider {
  id: string;
  minimum_minor: number;
  maximum_minor: number;
  currency: string;
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

export interface BilledAs {
  profile: BillingProfile | null;
  tax: { category: string; rate: string; reason: string | null };
}

export interface WalletEntry {
  entry: number;
  at: string;
  reason: string;
  amount_minor: number;
  change_minor: number;
  order_id: string | null;
  payment_id: string | null;
  promo_credit_id: string | null;
  available_minor: number;
  promo_minor: number;
  held_minor: number;
  currency: string;
}

export interface AutoTopUp {
  enabled: boolean;
  threshold_minor: number;
  amount_minor: number;
  currency: string;
  payment_method_id: string | null;
  methods: { id: string; provider: string; label: string; expires_on: string | null; created_at: string }[];
  failures: number;
  last_error: string | null;
  next_attempt_at: string | null;
}

/** What each operation takes, and what it answers under `data`. */
export interface PlannedOperations {
  signUp: {
    body: { email: string; password: string; name?: string; locale?: 'en' | 'de'; invitation?: string };
    data: { next: 'verify_email' | 'signed_in' };
  };
  verifyEmail: { body: { token: string }; data: { email: string } };
  signIn: { body: { email: string; password: string }; data: { next: 'signed_in' | 'second_factor' } };
  signInSecondFactor: { body: { code: string }; data: { next: 'signed_in' } };
  signInWithRecoveryCode: { body: { code: string }; data: { next: 'signed_in' } };
  beginPasskeySignIn: { data: { options: Record<string, unknown> } };
  signInWithPasskey: { body: { response: Record<string, unknown> }; data: { next: 'signed_in' } };
  requestPasswordReset: { body: { email: string }; data: null };
  resetPasswordByMail: { body: { token: string; password: string }; data: null };
  switchAccount: { body: { account_id: string }; data: Session };
  confirmSession: {
    body: { password?: string; response?: Record<string, unknown> };
    data: { confirmed_until: string };
  };
  listSessions: { data: SessionEntry[] };
  revokeSession: { params: { id: string }; data: null };
  updateProfile: { body: { name?: string; locale?: 'en' | 'de' }; data: Person };
  changePassword: { body: { password: string }; data: {} };
  changeEmail: { body: { email: string }; data: null };
  beginTotp: { data: { secret: string; uri: string } };
  confirmTotp: { body: { code: string }; data: { recovery_codes: string[] } };
  removeTotp: { data: null };
  renewRecoveryCodes: { data: { recovery_codes: string[] } };
  listPasskeys: { data: Passkey[] };
  beginPasskey: { data: { options: Record<string, unknown> } };
  addPasskey: { body: { name: string; response: Record<string, unknown> }; data: Passkey };
  removePasskey: { params: { id: string }; data: null };
  listScopes: {
    data: {
      scopes: { scope: string; description: string; grantable: boolean }[];
      presets: { id: string; scopes: string[] }[];
    };
  };
  listKeys: { query: { limit?: number; cursor?: string }; data: ApiKey[]; list: true };
  createKey: {
    body: { label: string; scopes: string[]; allowed_ips: string[]; expires_at?: string | null };
    data: { key: ApiKey; secret: string };
  };
  revokeKey: { params: { id: string }; data: null };
  listMembers: { data: Member[] };
  inviteMember: { body: { email: string; role: Role }; data: Member };
  changeMemberRole: { params: { id: string }; body: { role: Role }; data: Member };
  removeMember: { params: { id: string }; data: null };
  acceptInvitation: { body: { token: string }; data: null };
  listAudit: { query: { limit?: number; cursor?: string }; data: AuditEntry[]; list: true };
  getBillingProfile: { data: BilledAs };
  setBillingProfile: {
    body: {
      kind: 'business' | 'consumer';
      name: string;
      street: string;
      city: string;
      postcode?: string | null;
      country: string;
      vat_id?: string | null;
    };
    data: BilledAs;
  };
  closeAccount: { body: { name: string }; data: null };
  getPublicPrices: {
    data: {
      currency: string;
      plans: PublicPlan[];
      regions: { code: string; name: string; country: string }[];
    };
  };
  listPaymentProviders: { data: PaymentProvider[] };
  startTopUp: {
    body: { amount_minor: number; provider: string; keep_method?: boolean };
    data: { top_up: TopUp; next: NextStep };
  };
  getTopUp: { params: { id: string }; data: TopUp };
  listTopUps: { query: { limit?: number; cursor?: string }; data: TopUp[]; list: true };
  getAutoTopUp: { data: AutoTopUp };
  setAutoTopUp: {
    body: {
      enabled: boolean;
      threshold_minor: number;
      amount_minor: number;
      payment_method_id?: string | null;
    };
    data: AutoTopUp;
  };
  getStatement: {
    query: { limit?: number; cursor?: string; from?: string; to?: string };
    data: WalletEntry[];
    list: true;
  };
  restoreSnapshot: { params: { id: string; snapshot_id: string }; data: { job: { id: string } } };
  rebuildVm: { params: { id: string }; body: { image: string }; data: { job: { id: string } } };
}

/** Where each operation is. */
export const PLANNED_OPERATIONS = {
  signUp: ['POST', '/sign-up'],
  verifyEmail: ['POST', '/verify-email'],
  signIn: ['POST', '/sign-in'],
  signInSecondFactor: ['POST', '/sign-in/second-factor'],
  signInWithRecoveryCode: ['POST', '/sign-in/recovery-code'],
  beginPasskeySignIn: ['POST', '/sign-in/passkey/options'],
  signInWithPasskey: ['POST', '/sign-in/passkey'],
  requestPasswordReset: ['POST', '/password-reset'],
  resetPasswordByMail: ['POST', '/password-reset/complete'],
  switchAccount: ['POST', '/session/account'],
  confirmSession: ['POST', '/session/confirm'],
  listSessions: ['GET', '/sessions'],
  revokeSession: ['DELETE', '/sessions/{id}'],
  updateProfile: ['PATCH', '/person'],
  changePassword: ['POST', '/person/password'],
  changeEmail: ['POST', '/person/email'],
  beginTotp: ['POST', '/person/totp'],
  confirmTotp: ['POST', '/person/totp/confirm'],
  removeTotp: ['DELETE', '/person/totp'],
  renewRecoveryCodes: ['POST', '/person/recovery-codes'],
  listPasskeys: ['GET', '/person/passkeys'],
  beginPasskey: ['POST', '/person/passkeys/options'],
  addPasskey: ['POST', '/person/passkeys'],
  removePasskey: ['DELETE', '/person/passkeys/{id}'],
  listScopes: ['GET', '/scopes'],
  listKeys: ['GET', '/keys'],
  createKey: ['POST', '/keys'],
  revokeKey: ['DELETE', '/keys/{id}'],
  listMembers: ['GET', '/members'],
  inviteMember: ['POST', '/members'],
  changeMemberRole: ['PATCH', '/members/{id}'],
  removeMember: ['DELETE', '/members/{id}'],
  acceptInvitation: ['POST', '/invitations/accept'],
  listAudit: ['GET', '/audit'],
  getBillingProfile: ['GET', '/billing-profile'],
  setBillingProfile: ['PUT', '/billing-profile'],
  closeAccount: ['POST', '/account/close'],
  getPublicPrices: ['GET', '/prices'],
  listPaymentProviders: ['GET', '/payment-providers'],
  startTopUp: ['POST', '/top-ups', 'once'],
  getTopUp: ['GET', '/top-ups/{id}'],
  listTopUps: ['GET', '/top-ups'],
  getAutoTopUp: ['GET', '/auto-top-up'],
  setAutoTopUp: ['PUT', '/auto-top-up'],
  getStatement: ['GET', '/statement'],
  restoreSnapshot: ['POST', '/vm/{id}/snapshots/{snapshot_id}/restore'],
  rebuildVm: ['POST', '/vm/{id}/rebuild'],
} as const;
