import type { ComputeDriver } from '../../../server/compute/driver.ts';
import { type Database, sql } from '../../../server/db/database.ts';

/** Returns the engine's guests and the recorded VMs, each as `id host`; both lists must be equal. */
export async function places(
  compute: ComputeDriver,
  db: Database,
): Promise<{ guests: string[]; vms: string[] }> {
  const guests = (await compute.list()).map(({ id, hostId }) => `${id} ${hostId}`);
  const vms = await db.query<{ line: string }>(sql`
    select concat_ws(' ', id, host_id, 'moving to ' || moving_to) as line from vms where deleted_at is null`);
  return { guests: guests.sort(), vms: vms.map(({ line }) => line).sort() };
}
