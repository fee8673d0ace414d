/**
 * Reasons for closing a console's WebSocket, with the code that the client sees. Codes below 4000 are the protocol's
 * own.
 */
export const CLOSE_REASONS = {
  /** The guest ended the session: a logout, or the end of the stream. */
  guest_ended: { code: 1000, text: 'The session has ended' },
  /** The client disconnected, or broke the protocol. */
  client_left: { code: 1000, text: '' },
  shutdown: { code: 1001, text: 'The service is restarting' },
  unexpected_message: { code: 1003, text: 'The text message is invalid' },
  idle: { code: 4000, text: 'The session was idle for 15 minutes' },
  vm_off: { code: 4001, text: 'The VM is not running' },
  access_ended: { code: 4002, text: 'Access was revoked or has expired' },
  guest_unreachable: { code: 4003, text: 'The guest is not answering' },
  login_refused: { code: 4004, text: 'The guest refused to log this user in' },
  host_key_changed: { code: 4005, text: 'The host key of the guest has changed' },
  too_many_sessions: { code: 4006, text: 'Too many sessions are open' },
  too_many_viewers: { code: 4007, text: 'The link has reached its maximum number of viewers' },
  unresponsive: { code: 4008, text: 'The client is not reading any data' },
  screen_lost: { code: 4009, text: 'The connection to the shared terminal was lost; open the link again' },
} as const;

export type CloseReason = keyof typeof CLOSE_REASONS;
