import type { MoveKind } from '../../compute/driver.ts';

/**
 * The inputs that a request stores for its job in `jobs.input`. Secrets are sealed, and the input is wiped when the job
 * ends.
 */
export interface CreateInput extends SealedSecrets {
  start: boolean;
}

export interface SealedSecrets {
  sealed_password: string | null;
  /** Absent if an older release wrote the job, which stored `user_data` unencrypted. */
  sealed_user_data?: string | null;
  user_data?: string | null;
}

export interface PowerInput {
  timeout_seconds: number;
}

/** A force-stop by the service itself, because the VM is unpaid or its account has a debt. */
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
  /** Absent if an older release wrote the job, which did not sell dedicated cores. */
  dedicated?: boolean;
  bandwidth_gb: number | null;
  /** A bigint as text. */
  price_monthly_minor: string;
  /** The tax rate of the sale, and the resulting rounding remainder; jobs of earlier releases have neither. */
  tax_rate?: string;
  rounding_remainder?: string;
  /** The new hourly price, in millionths as text; absent if billed monthly. */
  price_hourly_micros?: string;
  /** When hourly counting starts after the change, as charged; present with the hourly price. */
  metered_since?: string;
  /** The deposit for the rest of the period, as text; absent if the period was sold in advance. */
  deposit_minor?: string;
  /** The VM was running and will be started again. */
  restart: boolean;
}

export interface SnapshotInput {
  snapshot_id: string;
}

export interface RestoreInput {
  snapshot_id: string;
  /** True if the VM will be started afterwards. */
  restart: boolean;
}

export interface MoveInput {
  how: MoveKind;
  /** True if the VM is switched off for the move and started again afterwards. */
  restart: boolean;
}

export interface RebuildInput extends SealedSecrets {
  template: string;
  /** The keys that may log in afterwards; null keeps the current ones. */
  keys: { fingerprint: string; public_key: string }[] | null;
  /** The key of the current guest, see `guest-ssh/ops-keys.ts`. */
  ops_key_fingerprint: string | null;
  /** True if the VM will be started afterwards. */
  restart: boolean;
}

/** The purposes of sealed secrets; a secret sealed for one purpose cannot be opened for another. */
export const SEALED_FOR = {
  create: 'create-password',
  reset: 'reset-password',
  userData: 'create-user-data',
} as const;
