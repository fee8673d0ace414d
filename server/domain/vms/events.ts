import type { Caller } from '../../access/principal.ts';
import type { Queryable } from '../../db/database.ts';
import type { EventType, JobKind } from '../../db/enums.ts';
import { type EventRow, insertEvent, insertEventOnce } from '../../db/queries/service/events.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';

export interface EventText {
  type: EventType;
  message: string;
  metadata?: Record<string, unknown>;
}

/** A noun phrase for each kind of job, which starts a sentence. */
export const JOB_NAMES: Record<JobKind, string> = {
  create: 'The creation of the VM',
  start: 'A start',
  stop: 'A shutdown',
  force_stop: 'A power-off',
  reboot: 'A reboot',
  reset_password: 'A new password',
  attach_ssh_key: 'The addition of an SSH key',
  change_plan: 'A change of plan',
  change_custom: 'A resize',
  snapshot_create: 'A snapshot',
  snapshot_delete: 'The deletion of a snapshot',
  snapshot_restore: 'The restore of a snapshot',
  rebuild: 'A rebuild',
  move: 'A move to another host',
  delete: 'The deletion of the VM',
};

/** Returns the event of a job's request; `by` is appended, such as " by the operator". */
export function jobRequested(kind: JobKind, by = ''): EventText {
  return { type: `vm.${kind}_requested`, message: `${JOB_NAMES[kind]} was requested${by}.` };
}

interface Subject {
  account_id: string;
  vm_id: string;
  /** The id of the job that caused the event. */
  id?: string;
}

export function recordCallerEvent(
  db: Queryable,
  clock: Clock,
  caller: Caller,
  vmId: string,
  event: EventText,
  jobId: string | null = null,
): Promise<void> {
  return insertEvent(db, {
    id: newId('evt', clock),
    account_id: caller.accountId,
    vm_id: vmId,
    type: event.type,
    level: 'info',
    message: event.message,
    actor_type: caller.principal.kind === 'key' ? 'api_key' : 'user',
    actor_id: caller.principal.id,
    actor_ip: caller.ip,
    job_id: jobId,
    metadata: event.metadata ?? {},
    created_at: clock.now(),
  });
}

export function recordSystemEvent(
  db: Queryable,
  clock: Clock,
  subject: Subject,
  level: EventRow['level'],
  event: EventText,
): Promise<void> {
  return insertEvent(db, systemEvent(clock, subject, level, event));
}

/** Logs a guest's action, unless it was already reported with this `dedupeKey`. Returns whether it was new. */
export function recordGuestEvent(
  db: Queryable,
  clock: Clock,
  subject: Subject,
  level: EventRow['level'],
  event: EventText,
  dedupeKey: string,
): Promise<boolean> {
  return insertEventOnce(db, systemEvent(clock, subject, level, event), dedupeKey);
}

function systemEvent(clock: Clock, subject: Subject, level: EventRow['level'], event: EventText): EventRow {
  return {
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
  };
}
