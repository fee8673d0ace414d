import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { deleteSome } from '../service/purge.ts';

export type TicketKind = 'vnc' | 'ssh';

export interface TicketRow {
  kind: TicketKind;
  account_id: string;
  vm_id: string;
  /** The key or person that the ticket was made for. */
  principal_id: string;
  /** The right that the console depends on: the key, or the person's session. */
  right_id: string;
  /** User name in a terminal; null for a screen. */
  username: string | null;
  cols: number | null;
  rows: number | null;
  expires_at: Date;
}

export async function insertTicket(db: Queryable, ticket: TicketRow, hash: Uint8Array): Promise<void> {
  await execute(
    db,
    sql`
    insert into console_tickets (hash, kind, account_id, vm_id, principal_id, right_id, username, cols, rows, expires_at)
    values (${hash}, ${ticket.kind}, ${ticket.account_id}, ${ticket.vm_id}, ${ticket.principal_id}, ${ticket.right_id}, ${ticket.username},
      ${ticket.cols}, ${ticket.rows}, ${ticket.expires_at})`,
  );
}

/**
 * Deletes and returns a ticket, so that only one of several concurrent callers gets it. Undefined if none has this
 * hash.
 */
export function takeTicket(db: Queryable, hash: Uint8Array): Promise<TicketRow | undefined> {
  return maybeOne<TicketRow>(
    db,
    sql`delete from console_tickets where hash = ${hash}
        returning kind, account_id, vm_id, principal_id, right_id, username, cols, rows, expires_at`,
  );
}

export function deleteTicketsBefore(db: Queryable, at: Date, limit: number): Promise<number> {
  const where = sql`expires_at < ${at}`;
  return deleteSome(db, { table: sql`console_tickets`, where, order: sql`expires_at` }, limit);
}
