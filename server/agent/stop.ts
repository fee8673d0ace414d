import type { FinalReason } from '../db/queries/vms/agent-runs.ts';

/** Ends a run before the model has finished. */
export class Stop extends Error {
  readonly reason: FinalReason;
  /** The customer's error message, if anything went wrong. */
  readonly failure: { code: string; message: string; retryable: boolean } | undefined;

  constructor(reason: FinalReason, failure?: Stop['failure']) {
    super(failure?.message ?? reason);
    this.reason = reason;
    this.failure = failure;
  }
}

export const failed = (code: string, message: string, retryable: boolean) =>
  new Stop('error', { code, message, retryable });
export const canceled = (code: string, message: string, retryable = false) =>
  new Stop('canceled', { code, message, retryable });
