/** The sender of a request: an API key, or a person signed in to the panel. */
export type Principal = { kind: 'key'; id: string } | { kind: 'person'; id: string; sessionId: string };

/** The caller and its account; determined by the pipeline before any handler runs. */
export interface Caller {
  accountId: string;
  principal: Principal;
  /** The caller's address, as seen through the configured proxies. */
  ip: string;
}

/**
 * Returns the id of the right that a terminal opened by this principal depends on. A person's terminal ends with the
 * session, so that signing out leaves none behind. Things that outlive a session, such as a share link, depend on the
 * person.
 */
export function terminalRight(principal: Principal): string {
  return principal.kind === 'key' ? principal.id : principal.sessionId;
}
