import { join, maybeOne, type Queryable, type Sql, sql } from '../database.ts';
import { type Page, pageOf } from './page.ts';
import { type RawView, toView, type VmView, vmView } from './vms.ts';

export interface SystemVmFilter {
  accountId?: string;
  status?: string;
}

/** VMs of all accounts, newest first: for the operator. */
export async function systemListVms(db: Queryable, filter: SystemVmFilter, page: Page): Promise<VmView[]> {
  const conditions: Sql[] = [sql`deleted_at is null`];
  if (filter.accountId) conditions.push(sql`account_id = ${filter.accountId}`);
  if (filter.status) conditions.push(sql`status = ${filter.status}`);
  const rows = await db.query<RawView>(
    sql`select ${vmView} from vms where ${join(conditions, ' and ')} ${pageOf(sql`vms.id`, page)}`,
  );
  return rows.map(toView);
}

/** A VM of any account as it reads: for the operator. */
export async function systemFindVmView(db: Queryable, id: string): Promise<VmView | undefined> {
  const row = await maybeOne<RawView>(
    db,
    sql`select ${vmView} from vms where id = ${id} and deleted_at is null`,
  );
  return row && toView(row);
}
