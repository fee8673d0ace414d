import { type Caller, terminalRight } from '../access/principal.ts';
import type { Database, Queryable } from '../db/database.ts';
import { isInForce } from '../db/queries/access/principals.ts';
import {
  insertTicket,
  type TicketKind,
  type TicketRow,
  takeTicket,
} from '../db/queries/vms/console-tickets.ts';
import { findVm, type VmView } from '../db/queries/vms/vms.ts';
import type { Clock } from '../platform/clock.ts';
import { notFound } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { TICKET_SECONDS } from './limits.ts';
import { generateSecret, hashSecret, isSecret } from './secret.ts';

/** Returns the owner of a ticket, and the right on which its terminal depends. */
export function holderOf({ principal }: Caller): Pick<TicketRow, 'principal_id' | 'right_id'> {
  return { principal_id: principal.id, right_id: terminalRight(principal) };
}

/** Creates a ticket. Its secret is only returned here; the database stores a hash. */
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

/** A ticket that was used, with the current state of its VM. */
export interface UsedTicket {
  ticket: TicketRow;
  vm: VmView;
}

/**
 * Uses up a ticket. It is gone even if it was not valid, and only one of two concurrent callers gets it. Throws
 * `not_found`, without distinction, for a ticket that never existed, was used, has expired, is for another VM, or
 * belongs to a key or session that has ended since.
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
