import type { ErrorDetails, FieldProblem } from './customer.ts';

/** A request that was refused or never answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The error code of the API, or `unreachable` if there was no response. */
  readonly code: string;
  readonly status: number;
  readonly details: ErrorDetails;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;

  constructor(
    code: string,
    message: string,
    more: { status?: number; details?: ErrorDetails; requestId?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.details = more.details ?? {};
    this.requestId = more.requestId;
  }

  /** The invalid fields, each with its problem. */
  get fields(): FieldProblem[] {
    return this.details.fields ?? [];
  }

  /** True if the same request may succeed later: no response, rate limited, or a server error. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Returns whether `error` is an API error with this code. */
export function isRefusal(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
