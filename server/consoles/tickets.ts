import { type Caller, terminalRight } from '../access/principal.ts';
import type { Database, Queryable } from '../db/database.ts';
import { insertTicket, type TicketKind, type TicketRow, takeTicket } from '../db/queries/console-tickets.ts';
import { isInForce } from '../db/queries/principals.ts';
import { findVm, type VmView } from '../db/queries/vms.ts';
import type { Clock } from '../platform/clock.ts';
import { notFound } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { TICKET_SECONDS } from './limits.ts';
import { generateSecret, hashSecret, isSecret } from './secret.ts';

/** For whom a ticket is made, and what its terminal will stand on. */
export function holderOf({ principal }: Caller): Pick<TicketRow, 'principal_id' | 'right_id'> {
  return { principal_id: principal.id, right_id: terminalRight(principal) };
}

/** Makes a ticket. Its text is returned here and nowhere else: only a hash is stored. */
export async function issueTicket(
  db: Queryable,
  secrets: SecretBox,
  ticket: Omit<TicketRow, 'expires_at'>,
  now: Date,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = generateSecret('vct', secrets);
  const expiresAt = new Date(now.getTime() + TICKET_SECONDS * 1000);
  await insertTicket(db, { ...ticket, expires_at: expiresAt }, hashSecret(secret));
  return { secret, expiresAt };
}

/** A ticket that was used, and its VM as it is now. */
export interface UsedTicket {
  ticket: TicketRow;
  vm: VmView;
}

/**
 * Uses a ticket up. What is presented is gone, whether or not it was any good: of two callers one gets it.
 * Throws `not_found`, the same for a ticket that never was, was used, has expired, is of another VM, or of a
 * key or a session that has ended since.
 */
export async function useTicket(
  { db, clock }: { db: Database; clock: Clock },
  secret: string,
  asked: { kind: TicketKind; vmId: string },
): Promise<UsedTicket> {
  const ticket = isSecret(secret, 'vct') ? await takeTicket(db, hashSecret(secret)) : undefined;
  if (!ticket || ticket.expires_at <= clock.now()) throw notFound();
  if (ticket.kind !== asked.kind || ticket.vm_id !== asked.vmId) throw notFound();
  const right = { id: ticket.right_id, accountId: ticket.account_id };
  const vm = await findVm(db, ticket.account_id, ticket.vm_id);
  if (!vm || !(await isInForce(db, right, clock.now()))) throw notFound();
  return { ticket, vm };
}
