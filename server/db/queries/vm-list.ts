import { join, type Queryable, type Sql, sql } from '../database.ts';
import { type Page, pageOf } from './page.ts';
import { type RawView, toView, type VmView, vmView } from './vms.ts';

export interface VmFilter {
  status?: string;
  region?: string;
  hostname?: string;
}

/** VMs of an account, newest first. */
export async function listVms(
  db: Queryable,
  accountId: string,
  filter: VmFilter,
  page: Page,
): Promise<VmView[]> {
  const conditions: Sql[] = [sql`account_id = ${accountId}`, sql`deleted_at is null`];
  if (filter.status) conditions.push(sql`status = ${filter.status}`);
  if (filter.region) conditions.push(sql`region = ${filter.region}`);
  if (filter.hostname) conditions.push(sql`hostname = ${filter.hostname}`);
  const rows = await db.query<RawView>(
    sql`select ${vmView} from vms where ${join(conditions, ' and ')} ${pageOf(sql`vms.id`, page)}`,
  );
  return rows.map(toView);
}
