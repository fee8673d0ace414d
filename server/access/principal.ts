/** Who makes a request: an API key, or of a person who has signed in to the panel. */
export type Principal = { kind: 'key'; id: string } | { kind: 'person'; id: string; sessionId: string };

/** Who calls, and for which account: found by the pipeline before any handler runs. */
export interface Caller {
  accountId: string;
  principal: Principal;
  /** The caller's address, as seen through the configured proxies. */
  ip: string;
}

/**
 * The id on which a terminal stands that this principal opens: a person's ends with the session, so that signing out
 * leaves none behind. What outlives a session, such as a share link, stands on the person.
 */
export function terminalRight(principal: Principal): string {
  return principal.kind === 'key' ? principal.id : principal.sessionId;
}
