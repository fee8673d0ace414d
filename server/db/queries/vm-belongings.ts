import { type Queryable, sql } from '../database.ts';

/**
 * Removes what goes with a deleted VM. Its row, orders, jobs and events stay: they explain the bill.
 */
export async function deleteVmBelongings(db: Queryable, vmId: string): Promise<void> {
  for (const statement of [
    sql`delete from firewall_rules where vm_id = ${vmId}`,
    sql`delete from port_forwards where vm_id = ${vmId}`,
    sql`delete from snapshots where vm_id = ${vmId}`,
    sql`delete from vm_ssh_keys where vm_id = ${vmId}`,
    sql`delete from metric_samples where vm_id = ${vmId}`,
    sql`delete from metric_rollups where vm_id = ${vmId}`,
    sql`delete from console_tickets where vm_id = ${vmId}`,
    sql`delete from console_shares where vm_id = ${vmId}`,
    sql`delete from guest_host_keys where vm_id = ${vmId}`,
    sql`delete from vm_counters where vm_id = ${vmId}`,
  ]) {
    await db.query(statement);
  }
}
