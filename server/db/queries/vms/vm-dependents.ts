import { execute, type Queryable, sql } from '../../database.ts';
import { endSnapshotUsage } from '../money/meters.ts';
import { markTargetsRemoved } from '../shield/shield-targets.ts';

/**
 * Deletes everything that goes with a deleted VM. Its row, orders, jobs and events stay, because they explain the bill.
 * Follows the order of `lock-order.ts`; the caller must have locked the VM.
 */
export async function deleteVmBelongings(db: Queryable, vmId: string, at: Date): Promise<void> {
  await deleteAgentHistory(db, vmId);
  for (const statement of [
    sql`delete from vm_ssh_keys where vm_id = ${vmId}`,
    sql`delete from snapshots where vm_id = ${vmId}`,
  ]) {
    await execute(db, statement);
  }
  await endSnapshotUsage(db, { vmId }, at);
  for (const statement of [
    sql`delete from firewall_rules where vm_id = ${vmId}`,
    sql`delete from port_forwards where vm_id = ${vmId}`,
  ]) {
    await execute(db, statement);
  }
  await markTargetsRemoved(db, { vmId }, at);
  await deleteConsoleAccess(db, vmId);
  for (const statement of [
    sql`delete from vm_counters where vm_id = ${vmId}`,
    sql`delete from metric_samples where vm_id = ${vmId}`,
    sql`delete from metric_rollups where vm_id = ${vmId}`,
    sql`delete from reservations where vm_id = ${vmId}`,
  ]) {
    await execute(db, statement);
  }
}

/** Deletes the AI agent's history with a VM's guest, including unfinished runs. */
export async function deleteAgentHistory(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from agent_runs where vm_id = ${vmId}`);
  await execute(db, sql`delete from agent_sessions where vm_id = ${vmId}`);
  await execute(db, sql`delete from agent_entries where vm_id = ${vmId}`);
}

/** Deletes the access to a VM's guest: console shares, tickets and the pinned host key. */
export async function deleteConsoleAccess(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from console_shares where vm_id = ${vmId}`);
  await execute(db, sql`delete from console_tickets where vm_id = ${vmId}`);
  await execute(db, sql`delete from guest_host_keys where vm_id = ${vmId}`);
}
