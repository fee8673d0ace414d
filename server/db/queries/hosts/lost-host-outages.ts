import { execute, type Queryable, sql } from '../../database.ts';

/** The actor recorded for outages of VMs on lost hosts: the service itself reports them. */
export const LOST_HOST_ACTOR = 'service';

/** A VM that became unreachable when its host was lost. */
export interface LostVm {
  id: string;
  lost_at: Date;
}

/** Returns VMs on lost hosts that have had a guest, by id; for the given hosts, or a single VM. */
export function vmsOfLostHosts(
  db: Queryable,
  which: { hostIds: readonly string[] } | { vmId: string },
  until: Date,
): Promise<LostVm[]> {
  const these = 'vmId' in which ? sql`vms.id = ${which.vmId}` : sql`host_id = any(${which.hostIds}::text[])`;
  return db.query<LostVm>(sql`
    select vms.id, greatest(lost_at, provisioned_at) as lost_at from vms join hosts on hosts.id = host_id
    where ${these} and lost_at is not null and deleted_at is null
      and greatest(lost_at, provisioned_at) < ${until}::timestamptz and provisioned_at is not null
    order by vms.id`);
}

/** Records an outage for each VM. A repeated report of the same loss is ignored. */
export async function insertLosses(
  db: Queryable,
  losses: readonly (LostVm & { outageId: string })[],
  { until, reason }: { until: Date; reason: string },
): Promise<void> {
  if (losses.length === 0) return;
  const rows = JSON.stringify(
    losses.map(({ id, lost_at, outageId }) => ({ id: outageId, vm_id: id, from_at: lost_at })),
  );
  await execute(
    db,
    sql`
    insert into outages (id, vm_id, from_at, to_at, reason, actor, created_at)
    select id, vm_id, from_at, ${until}::timestamptz, ${reason}, ${LOST_HOST_ACTOR}, ${until}::timestamptz
    from jsonb_to_recordset(${rows}::jsonb) as losses(id text, vm_id text, from_at timestamptz)
    on conflict do nothing`,
  );
}

/** Returns the ids of such outages that are not fully credited, in order. */
export async function uncreditedLosses(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from outages where actor = ${LOST_HOST_ACTOR} and status <> 'credited' and id > ${after}
    order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}
