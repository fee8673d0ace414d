import { ApiError, type ErrorCode } from '../../platform/errors.ts';

/** The reason why an operation would be refused, shown in advance. */
export interface Blocker {
  code: ErrorCode;
  message: string;
}

/**
 * Returns the error that `check` throws, as a blocker, or null: quotes and previews run the same checks as the
 * operation itself.
 */
export function blockerOf(check: () => unknown): Blocker | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return blockerFrom(error);
    throw error;
  }
}

export function blockerFrom({ code, message }: ApiError): Blocker {
  return { code, message };
}
