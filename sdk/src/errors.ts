import type { ErrorDetails } from './api.ts';

/** The base class of all errors that the client throws. */
export class VaubanError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An error reply of the service. Each code has its own subclass. */
export class ApiError extends VaubanError {
  readonly status: number;
  /**
   * Distinguish errors by this or by the class. It is `http_502` or the like if a proxy in front of the service
   * replied.
   */
  readonly code: string;
  readonly details: ErrorDetails;
  /** Quote it to support. */
  readonly requestId: string | undefined;

  constructor(
    message: string,
    facts: { status: number; code: string; details?: ErrorDetails; requestId?: string | undefined },
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId;
  }
}

/**
 * No complete reply was received. A write without a charge may or may not have happened. A paid operation can be
 * repeated with `idempotencyKey` and is not done twice.
 */
export class ConnectionError extends VaubanError {
  readonly idempotencyKey: string | undefined;

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | undefined } = {}) {
    super(message, { cause: options.cause });
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** An attempt took longer than `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** The awaited job failed or was canceled. */
export class JobFailedError extends VaubanError {
  readonly job: { id: string; kind: string; status: string; error: { code: string; message: string } | null };

  constructor(job: JobFailedError['job']) {
    super(`The job ${job.kind} ${job.status}${job.error ? `: ${job.error.message}` : ''}`);
    this.job = job;
  }
}
