import type { Duplex } from 'node:stream';
import type { TicketRow } from '../db/queries/vms/console-tickets.ts';
import type { VmRow } from '../db/queries/vms/vms.ts';
import { defaultUser, OpsSessionError } from '../guest-ssh/connect.ts';
import type { Logger } from '../platform/logging.ts';
import type { CloseReason } from './close-reasons.ts';
import type { ConsoleServices } from './console-services.ts';
import { guestEnd } from './guest-end.ts';
import { DEFAULT_COLS, DEFAULT_ROWS } from './limits.ts';
import { parseResize } from './messages.ts';
import { relay } from './relay.ts';
import { Resizer } from './resizer.ts';
import type { ConsoleSession } from './session.ts';
import { openTerminal } from './terminal.ts';

/** Connects a session admitted by a ticket to its guest, and relays bytes until either side ends. */
export async function connect(
  services: ConsoleServices,
  session: ConsoleSession,
  ticket: TicketRow,
): Promise<void> {
  const { kind, vm } = session.grant;
  try {
    if (kind === 'ssh') return await connectTerminal(services, session, ticket);
    const { compute } = services;
    connectStream(
      services,
      session,
      await (kind === 'vnc' ? compute.openVnc(vm.id) : compute.openSsh(vm.id)),
    );
  } catch (error) {
    // If the session has already ended, its reason stands; the broken connection is only a consequence.
    if (!session.reason) session.end(connectFailure(services, vm, error));
  }
}

/** Relays raw bytes: RFB, or SSH from the caller's own client. There are no text messages. */
function connectStream(services: ConsoleServices, session: ConsoleSession, stream: Duplex): void {
  relay(session, stream, {
    onText: () => session.end('unexpected_message'),
    whyEnded: () => guestEnd(services, session.grant),
  });
}

async function connectTerminal(
  services: ConsoleServices,
  session: ConsoleSession,
  ticket: TicketRow,
): Promise<void> {
  const { vm } = session.grant;
  const terminal = await openTerminal(services, vm, {
    username: ticket.username ?? defaultUser(services, vm),
    cols: ticket.cols ?? DEFAULT_COLS,
    rows: ticket.rows ?? DEFAULT_ROWS,
    signal: session.signal,
  });
  const resizer = new Resizer(services.clock, session.signal, terminal.resize);
  relay(session, terminal.stream, {
    onText: (text) => {
      const size = parseResize(text);
      if (size) resizer.ask(size);
      else session.end('unexpected_message');
    },
    whyEnded: () => guestEnd(services, session.grant),
  });
}

const REASONS: Record<OpsSessionError['reason'], CloseReason> = {
  unreachable: 'guest_unreachable',
  timeout: 'guest_unreachable',
  refused: 'login_refused',
  host_key_changed: 'host_key_changed',
};

/** Logs why a guest could not be reached, and returns the close reason for its viewer. */
export function connectFailure({ logger }: { logger: Logger }, vm: VmRow, error: unknown): CloseReason {
  const reason = error instanceof OpsSessionError ? REASONS[error.reason] : 'guest_unreachable';
  // A changed host key may be a man in the middle, which concerns the operator; a busy guest does not.
  const level = reason === 'host_key_changed' ? 'error' : 'info';
  logger[level]({ err: error, vm_id: vm.id, reason }, 'console not connected');
  return reason;
}
