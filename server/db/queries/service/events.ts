import { execute, type Queryable, type Sql, sql } from '../../database.ts';
import type { EventType } from '../../enums.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';
import { deleteSome } from './purge.ts';

export interface EventRow {
  id: string;
  account_id: string;
  vm_id: string;
  type: EventType;
  level: 'info' | 'warning' | 'error';
  message: string;
  actor_type: 'user' | 'api_key' | 'system';
  actor_id: string | null;
  actor_ip: string | null;
  job_id: string | null;
  metadata: Record<string, unknown>;
  created_at: Date;
}

export function insertEvent(db: Queryable, event: EventRow): Promise<void> {
  return execute(db, insertion(event, null));
}

/** Writes an event unless its VM already has one with this `dedupeKey`; returns whether it was written. */
export async function insertEventOnce(db: Queryable, event: EventRow, dedupeKey: string): Promise<boolean> {
  const rows = await db.query(sql`
    ${insertion(event, dedupeKey)}
    on conflict (vm_id, dedupe_key) where dedupe_key is not null do nothing returning id`);
  return rows.length > 0;
}

function insertion(event: EventRow, dedupeKey: string | null): Sql {
  return sql`
    insert into events (id, account_id, vm_id, type, level, message, actor_type, actor_id, actor_ip, job_id, metadata,
      dedupe_key, created_at)
    values (${event.id}, ${event.account_id}, ${event.vm_id}, ${event.type}, ${event.level}, ${event.message},
      ${event.actor_type}, ${event.actor_id}, ${event.actor_ip}, ${event.job_id},
      ${JSON.stringify(event.metadata)}::text::jsonb, ${dedupeKey}, ${event.created_at})`;
}

export interface EventFilter {
  type?: EventType;
  from?: Date;
  to?: Date;
}

export function listEvents(
  db: Queryable,
  vmId: string,
  filter: EventFilter,
  page: Page,
): Promise<EventRow[]> {
  return db.query<EventRow>(sql`
    select * from events where vm_id = ${vmId} and ${ifGiven(filter.type, (type) => sql`type = ${type}`)}
      and ${ifGiven(filter.from, (from) => sql`created_at >= ${from}`)}
      and ${ifGiven(filter.to, (to) => sql`created_at < ${to}`)} ${pageOf(sql`id`, page)}`);
}

export function deleteEventsBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const where = sql`created_at < ${before}`;
  return deleteSome(db, { table: sql`events`, where, order: sql`created_at` }, limit);
}
