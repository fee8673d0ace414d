/**
 * What a request leaves in `jobs.input` for its job. Secrets are sealed, and the input is wiped when the job
 * ends.
 */
export interface CreateInput {
  start: boolean;
  sealed_password: string | null;
  user_data: string | null;
}

export interface PowerInput {
  timeout_seconds: number;
}

/** A force-stop by the service itself, because the VM is unpaid. */
export interface ForceStopInput {
  suspend?: true;
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
  bandwidth_gb: number | null;
  /** A bigint as text. */
  price_monthly_minor: string;
  /** The VM was running and is to run again. */
  restart: boolean;
}

export interface SnapshotInput {
  snapshot_id: string;
}

/** What a sealed secret is for; one sealed for another purpose cannot be opened in its place. */
export const SEALED_FOR = { create: 'create-password', reset: 'reset-password' } as const;
