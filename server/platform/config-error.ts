/**
 * The operator's input is wrong. `problems` names every fault with its place and reason, so that a single start shows
 * them all; a stack trace would not help.
 */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Something the service needs to start, such as a port or a database, is unavailable at the moment. The message is one
 * sentence; a stack trace would not help.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another process is listening there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'permission denied',
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'no answer',
  CONNECT_TIMEOUT: 'no answer',
};

/** Returns why the system or a server refused: in plain words if its code is known, otherwise its own message. */
export function reasonOf(error: unknown): string {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  // A missing Unix socket means that the server is not running.
  if (code === 'ENOENT' && syscall === 'connect') return REASONS.ECONNREFUSED!;
  return REASONS[code] ?? (message || code);
}
