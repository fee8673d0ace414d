import type { Queryable } from '../db/database.ts';
import { insertTicket, type TicketKind, type TicketRow, takeTicket } from '../db/queries/console-tickets.ts';
import { findVm, type VmView } from '../db/queries/vms.ts';
import { notFound } from '../platform/errors.ts';
import type { Services } from '../services.ts';
import { TICKET_SECONDS } from './limits.ts';
import { generateSecret, hashSecret, isSecret } from './secret.ts';

/** Makes a ticket. Its text is returned here and nowhere else: only a hash is stored. */
export async function issueTicket(
  db: Queryable,
  ticket: Omit<TicketRow, 'expires_at'>,
  now: Date,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = generateSecret('vct');
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
 * Throws `not_found`, the same for a ticket that never was, was used, has expired, or is of another VM.
 */
export async function useTicket(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  secret: string,
  asked: { kind: TicketKind; vmId: string },
): Promise<UsedTicket> {
  const ticket = isSecret(secret, 'vct') ? await takeTicket(db, hashSecret(secret)) : undefined;
  if (!ticket || ticket.expires_at <= clock.now()) throw notFound();
  if (ticket.kind !== asked.kind || ticket.vm_id !== asked.vmId) throw notFound();
  const vm = await findVm(db, ticket.account_id, ticket.vm_id);
  if (!vm) throw notFound();
  return { ticket, vm };
}
