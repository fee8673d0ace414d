import { maybeOne, type Queryable, sql } from '../../database.ts';

/**
 * Returns the account's existing VM with this address, locked until the transaction ends, and the address in our
 * notation.
 */
export function lockVmOfAddress(
  db: Queryable,
  accountId: string,
  ip: string,
): Promise<{ id: string; status: string; ip: string } | undefined> {
  return maybeOne(
    db,
    sql`
    select vms.id, vms.status, host(a.address) as ip from ip_addresses a join vms on vms.id = a.vm_id
    where a.address = ${ip}::text::inet and vms.account_id = ${accountId} and vms.deleted_at is null
      and vms.provisioned_at is not null
    for no key update of vms`,
  );
}
