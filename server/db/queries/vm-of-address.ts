import { maybeOne, type Queryable, sql } from '../database.ts';

/** The account's VM that exists and has this address, locked until the transaction ends; its address as we write it. */
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
