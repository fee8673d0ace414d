import type { ErrorDetails } from './api.ts';

/** Whatever the client throws. */
export class VaubanError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The service has answered with an error; each code has a class of its own. */
export class ApiError extends VaubanError {
  readonly status: number;
  /** Decide by this, or by the class. `http_502` and the like where something in front of the service has answered. */
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
 * No whole answer has come. Of a write that is not paid for it is not known whether it was done; a paid one can be
 * repeated with `idempotencyKey`, and is not done twice.
 */
export class ConnectionError extends VaubanError {
  readonly idempotencyKey: string | undefined;

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | undefined } = {}) {
    super(message, { cause: options.cause });
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** An attempt has taken longer than `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** A job that was waited for has failed or was canceled. */
export class JobFailedError extends VaubanError {
  readonly job: { id: string; kind: string; status: string; error: { code: string; message: string } | null };

  constructor(job: JobFailedError['job']) {
    super(`The job ${job.kind} ${job.status}${job.error ? `: ${job.error.message}` : ''}`);
    this.job = job;
  }
}
