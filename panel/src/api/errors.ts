import type { ErrorDetails, FieldProblem } from './customer.ts';

/** A refusal, or an answer that never came. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** What went wrong, as the API says it; `unreachable` where nothing answered. */
  readonly code: string;
  readonly status: number;
  readonly details: ErrorDetails;
  /** Names the request in the service's log. */
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

  /** The fields that were wrong, each with what is wrong with it. */
  get fields(): FieldProblem[] {
    return this.details.fields ?? [];
  }

  /** Whether the same request may succeed a moment later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Whether `error` is the API's refusal with this code. */
export function isRefusal(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
