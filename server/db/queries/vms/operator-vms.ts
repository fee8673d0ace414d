import { isIP } from 'node:net';
import { maybeOne, type Queryable, type Sql, sql } from '../../database.ts';
import { containing } from '../containing.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';
import { type RawView, toView, type VmView, vmView } from './vms.ts';

export interface SystemVmFilter {
  accountId?: string;
  status?: string;
  /** Id, address or part of the name of a VM. */
  search?: string;
  /** Only VMs whose period is over and not paid for. */
  isUnpaid?: boolean;
}

/** Lists the VMs of all accounts, newest first, for the operator. */
export async function systemListVms(db: Queryable, filter: SystemVmFilter, page: Page): Promise<VmView[]> {
  const { accountId, status, isUnpaid = false, search } = filter;
  // Compared outside of {@link ifGiven}, so that the index on it can be used.
  const ofAccount = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`;
  const rows = await db.query<RawView>(sql`
    select ${vmView} from vms where deleted_at is null and ${ofAccount}
      and ${ifGiven(status, (given) => sql`status = ${given}`)}
      and (${!isUnpaid} or unpaid_since is not null) and ${found(search)} ${pageOf(sql`vms.id`, page)}`);
  return rows.map(toView);
}

function found(search: string | undefined): Sql {
  if (search === undefined) return sql`true`;
  // Node accepts an address with a zone, but the database does not.
  if (isIP(search) !== 0 && !search.includes('%'))
    return sql`vms.id in (select vm_id from ip_addresses where address = ${search}::text::inet)`;
  return sql`(vms.id = ${search} or hostname ilike ${containing(search)})`;
}

/** Returns the view of any account's VM, for the operator. */
export async function systemFindVmView(db: Queryable, id: string): Promise<VmView | undefined> {
  const row = await maybeOne<RawView>(
    db,
    sql`select ${vmView} from vms where id = ${id} and deleted_at is null`,
  );
  return row && toView(row);
}
