import { ApiError, type ErrorCode } from '../../platform/errors.ts';

/** Why something would be refused, shown beforehand. */
export interface Blocker {
  code: ErrorCode;
  message: string;
}

/** What `check` refuses with, or null: quotes and previews ask the very checks of the operation itself. */
export function blockerOf(check: () => unknown): Blocker | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return blockerFrom(error);
    throw error;
  }
}

/** A refusal, as it is shown beforehand. */
export function blockerFrom({ code, message }: ApiError): Blocker {
  return { code, message };
}
