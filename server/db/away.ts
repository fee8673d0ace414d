/**
 * The database cannot be reached, has gone away, or has no room to work. Whatever was asked of it is undone, unless
 * `outcomeUnknown`: then the connection broke between a commit and its answer, and it may have happened.
 */
export class DatabaseAwayError extends Error {
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: { cause?: unknown; outcomeUnknown?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'DatabaseAwayError';
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/** Notified of outages: once when one begins, once when it is over. */
export interface OutageLog {
  onAway(error: DatabaseAwayError): void;
  onBack(): void;
}

/**
 * States of SQL in which the server could not work, whatever the statement: connection lost (08), a standby in the
 * primary's place, no disk, memory or connections (53), shutting down or starting up (57P), errors of its system (58).
 */
const AWAY = /^(08...|25006|25P03|53...|57P0[1-5]|58...)$/;

/** What a database refused, as {@link DatabaseAwayError} where the refusal says nothing about the statement. */
export function fromRefusal(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code !== 'string' || !AWAY.test(code)) return error;
  return new DatabaseAwayError(`the database does not work: ${message}`, { cause: error });
}
