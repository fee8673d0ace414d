import { one, type Queryable, sql } from '../../database.ts';

export interface Usage {
  vms: number;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

/**
 * Returns the total size of an account's VMs, which its quotas are checked against. A VM being resized counts with the
 * larger of its old and new size, because its job may end with either.
 */
export function accountUsage(db: Queryable, accountId: string): Promise<Usage> {
  return one<Usage>(
    db,
    sql`select count(*)::int as vms,
          coalesce(sum(greatest(vcpu, (input->'vcpu')::int)), 0)::int as vcpu,
          coalesce(sum(greatest(ram_mb, (input->'ram_mb')::int)), 0)::int as ram_mb,
          coalesce(sum(greatest(disk_gb, (input->'disk_gb')::int)), 0)::int as disk_gb
        from vms left join jobs on jobs.id = active_job_id and jobs.kind in ('change_plan', 'change_custom')
        where vms.account_id = ${accountId} and deleted_at is null
          and not (vms.status = 'error' and provisioned_at is null)`,
  );
}
