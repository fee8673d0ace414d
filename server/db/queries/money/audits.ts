import type { Queryable } from '../../database.ts';
import { readSetting, writeSetting } from '../service/settings.ts';

const SETTING = 'last_audit';

/** The last time that any node audited the books. */
export interface LastAudit {
  /** When it began, RFC 3339. */
  at: string;
  findings: number;
}

export function findLastAudit(db: Queryable): Promise<LastAudit | undefined> {
  return readSetting<LastAudit>(db, SETTING);
}

export function noteAudit(db: Queryable, audit: LastAudit): Promise<void> {
  return writeSetting(db, SETTING, audit);
}
