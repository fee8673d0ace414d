/**
 * What an operator gave us is wrong. `problems` names every fault with its place and its reason, so that one
 * start is enough to see them all; there is no stack worth showing.
 */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** What the service needs to start is not there now, though it may be later: a port, a database. One sentence, no stack. */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'permission denied',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'no answer',
  CONNECT_TIMEOUT: 'no answer',
};

/** Why the system, or a server, refused: in words where its code has some, else as it said it. */
export function reasonOf(error: unknown): string {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  // A Unix socket that is not there is a server that does not run.
  if (code === 'ENOENT' && syscall === 'connect') return REASONS.ECONNREFUSED!;
  return REASONS[code] ?? (message || code);
}
