import { type Queryable, type Sql, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';
import { type RawView, toView, type VmView, vmView } from './vms.ts';

export interface VmFilter {
  status?: string;
  region?: string;
  hostname?: string;
}

/** Lists an account's VMs, newest first. */
export async function listVms(
  db: Queryable,
  accountId: string,
  filter: VmFilter,
  page: Page,
): Promise<VmView[]> {
  const rows = await db.query<RawView>(sql`
    select ${vmView} from vms where account_id = ${accountId} and deleted_at is null and ${matching(filter)}
    ${pageOf(sql`vms.id`, page)}`);
  return rows.map(toView);
}

/**
 * Each of these columns has an index. The most selective one given is compared outside of {@link ifGiven}, so that its
 * index can be used.
 */
function matching({ hostname, status, region }: VmFilter): Sql {
  const inRegion = ifGiven(region, (given) => sql`region = ${given}`);
  const ofStatus = ifGiven(status, (given) => sql`status = ${given}`);
  if (hostname !== undefined) return sql`hostname = ${hostname} and ${ofStatus} and ${inRegion}`;
  if (status !== undefined) return sql`status = ${status} and ${inRegion}`;
  return region === undefined ? sql`true` : sql`region = ${region}`;
}
