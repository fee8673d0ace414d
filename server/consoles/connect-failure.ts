import type { VmRow } from '../db/queries/vms.ts';
import { OpsSessionError } from '../guest-ssh/connect.ts';
import type { Logger } from '../platform/logging.ts';
import type { CloseReason } from './close-reasons.ts';

const REASONS: Record<OpsSessionError['reason'], CloseReason> = {
  unreachable: 'guest_unreachable',
  timeout: 'guest_unreachable',
  refused: 'login_refused',
  host_key_changed: 'host_key_changed',
};

/** Logs why a guest could not be reached, and returns what its viewer gets to read. */
export function connectFailure({ logger }: { logger: Logger }, vm: VmRow, error: unknown): CloseReason {
  const reason = error instanceof OpsSessionError ? REASONS[error.reason] : 'guest_unreachable';
  // It may be a man in the middle: that is for the operator, a guest that is busy is not.
  const level = reason === 'host_key_changed' ? 'error' : 'info';
  logger[level]({ err: error, vm_id: vm.id, reason }, 'console not connected');
  return reason;
}
