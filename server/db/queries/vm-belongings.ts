import { type Queryable, sql } from '../database.ts';
import { markTargetsRemoved } from './shield-targets.ts';

/**
 * Removes what goes with a deleted VM. Its row, orders, jobs and events stay: they explain the bill.
 */
export async function deleteVmBelongings(db: Queryable, vmId: string, at: Date): Promise<void> {
  await markTargetsRemoved(db, { vmId }, at);
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
    sql`delete from agent_entries where vm_id = ${vmId}`,
    sql`delete from agent_runs where vm_id = ${vmId}`,
    sql`delete from agent_sessions where vm_id = ${vmId}`,
  ]) {
    await db.query(statement);
  }
}
