/**
 * The database is unreachable, has gone away, or lacks the resources to work. The request had no effect, unless
 * `outcomeUnknown`: then the connection broke between a commit and its answer, so it may have taken effect.
 */
export class DatabaseAwayError extends Error {
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: { cause?: unknown; outcomeUnknown?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'DatabaseAwayError';
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/** Notified once when an outage begins and once when it ends. */
export interface OutageLog {
  onAway(error: DatabaseAwayError): void;
  onBack(): void;
}

/**
 * SQLSTATEs that mean the server could not work, whatever the statement: connection lost (08), a standby in the
 * primary's place, no disk, memory or connections (53), shutting down or starting up (57P), system errors (58).
 */
const AWAY = /^(08...|25006|25P03|53...|57P0[1-5]|58...)$/;

/**
 * Converts a database error to {@link DatabaseAwayError} if it says nothing about the statement itself; returns any
 * other error as it is.
 */
export function fromRefusal(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code !== 'string' || !AWAY.test(code)) return error;
  return new DatabaseAwayError(`the database does not work: ${message}`, { cause: error });
}
