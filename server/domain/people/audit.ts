import type { Queryable } from '../../db/database.ts';
import { insertAuditEntry } from '../../db/queries/access/audit-entries.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';

export const AUDIT_ACTIONS = [
  'account.closed',
  'account.created',
  'auto_top_up.changed',
  'billing_profile.changed',
  'invitation.accepted',
  'invitation.revoked',
  'invitation.sent',
  'key.created',
  'key.revoked',
  'member.removed',
  'member.role_changed',
  'passkey.added',
  'passkey.removed',
  'payment_method.removed',
  'person.email_changed',
  'person.password_changed',
  'person.password_reset',
  'person.signed_in',
  'recovery_codes.renewed',
  'session.revoked',
  'top_up.canceled',
  'top_up.started',
  'totp.added',
  'totp.removed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  accountId: string | null;
  personId: string | null;
  action: AuditAction;
  /** The id of the object that was changed. */
  subjectId?: string;
  details?: Record<string, unknown>;
  ip: string | null;
}

/** Records an action in the audit log, in the transaction that performs it. */
export function recordAudit(db: Queryable, clock: Clock, entry: AuditEntry): Promise<void> {
  return insertAuditEntry(db, {
    id: newId('aud', clock),
    account_id: entry.accountId,
    person_id: entry.personId,
    action: entry.action,
    subject_id: entry.subjectId ?? null,
    details: entry.details ?? {},
    ip: entry.ip,
    created_at: clock.now(),
  });
}
