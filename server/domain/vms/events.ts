import type { Queryable } from '../../db/database.ts';
import type { EventType } from '../../db/enums.ts';
import { insertEvent } from '../../db/queries/events.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';

export interface EventText {
  type: EventType;
  message: string;
  metadata?: Record<string, unknown>;
}

interface Subject {
  account_id: string;
  vm_id: string;
}

/** Logs what a caller did to a VM. */
export function recordCallerEvent(
  db: Queryable,
  clock: Clock,
  caller: { accountId: string; keyId: string; ip: string },
  vmId: string,
  event: EventText,
  jobId: string | null = null,
): Promise<boolean> {
  return insertEvent(db, {
    id: newId('evt', clock),
    account_id: caller.accountId,
    vm_id: vmId,
    type: event.type,
    level: 'info',
    message: event.message,
    actor_type: 'api_key',
    actor_id: caller.keyId,
    actor_ip: caller.ip,
    job_id: jobId,
    metadata: event.metadata ?? {},
    created_at: clock.now(),
  });
}

/** Logs what the service or the guest did by itself; `dedupeKey` keeps a doubled report out. */
export function recordSystemEvent(
  db: Queryable,
  clock: Clock,
  subject: Subject & { id?: string },
  level: 'info' | 'warning' | 'error',
  event: EventText,
  dedupeKey: string | null = null,
): Promise<boolean> {
  return insertEvent(
    db,
    {
      id: newId('evt', clock),
      account_id: subject.account_id,
      vm_id: subject.vm_id,
      type: event.type,
      level,
      message: event.message,
      actor_type: 'system',
      actor_id: null,
      actor_ip: null,
      job_id: subject.id ?? null,
      metadata: event.metadata ?? {},
      created_at: clock.now(),
    },
    dedupeKey,
  );
}
