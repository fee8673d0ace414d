import type { MoveKind } from '../../compute/driver.ts';

/**
 * What a request leaves in `jobs.input` for its job. Secrets are sealed, and the input is wiped when the job
 * ends.
 */
export interface CreateInput extends SealedSecrets {
  start: boolean;
}

/** Secrets for a new guest, sealed. */
export interface SealedSecrets {
  sealed_password: string | null;
  /** Absent where an older release wrote the job, which left `user_data` in clear. */
  sealed_user_data?: string | null;
  user_data?: string | null;
}

export interface PowerInput {
  timeout_seconds: number;
}

/** A force-stop by the service itself: because the VM is unpaid, or because of a debt of its account. */
export interface ForceStopInput {
  suspend?: true;
  debt?: true;
}

export interface ResetPasswordInput {
  username: string;
  sealed_password: string;
}

export interface AttachSshKeyInput {
  fingerprint: string;
  public_key: string;
}

/** The new configuration, as priced in the job's order. */
export interface ResizeInput {
  plan: string | null;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  /** Absent where an older release wrote the job, which sold no cores. */
  dedicated?: boolean;
  bandwidth_gb: number | null;
  /** A bigint as text. */
  price_monthly_minor: string;
  /** The rate that it was sold at, and what rounding then leaves uncharged; jobs of earlier versions have neither. */
  tax_rate?: string;
  rounding_remainder?: string;
  /** What an hour then costs, in millionths as text; absent where it is billed by the month. */
  price_hourly_micros?: string;
  /** Since when hours are then counted, as charged; present with that price. */
  metered_since?: string;
  /** What is then held for the rest of the period, as text; absent where that was sold in advance. */
  deposit_minor?: string;
  /** The VM was running and is to run again. */
  restart: boolean;
}

export interface SnapshotInput {
  snapshot_id: string;
}

export interface RestoreInput {
  snapshot_id: string;
  /** The VM is to run afterwards. */
  restart: boolean;
}

export interface MoveInput {
  how: MoveKind;
  /** It is switched off for it, and is to run again afterwards. */
  restart: boolean;
}

export interface RebuildInput extends SealedSecrets {
  template: string;
  /** Those that may log in from now on; null: those that may already. */
  keys: { fingerprint: string; public_key: string }[] | null;
  /** Of the guest that is there, see `guest-ssh/ops-keys.ts`. */
  ops_key_fingerprint: string | null;
  /** The VM is to run afterwards. */
  restart: boolean;
}

/** What a sealed secret is for; one sealed for another purpose cannot be opened in its place. */
export const SEALED_FOR = {
  create: 'create-password',
  reset: 'reset-password',
  userData: 'create-user-data',
} as const;
