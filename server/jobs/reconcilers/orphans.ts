import type { ComputeDriver, GuestSight, GuestState } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { forgetOrphan, livingAmong, noteOrphan, orphansOf } from '../../db/queries/hosts/orphans.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';

interface OrphanServices {
  db: Database;
  clock: Clock;
  compute: ComputeDriver;
  engine: string;
  logger: Logger;
}

/** Guests inspected per round, with one call of the engine each; the next round takes the rest. */
const BATCH = 100;

/**
 * Updates the list of orphans: guests that the engine has but that belong to no VM, for example after a database was
 * restored from a backup. Orphans are left alone, because they may be all that remains of a customer's data; the
 * operator is notified, and their addresses are not sold. `unowned` are guests that were listed after the VMs were read
 * and that belonged to none of them. Returns the number of orphans.
 */
export async function noteOrphans(services: OrphanServices, unowned: GuestSight[]): Promise<number> {
  const { db, clock, engine, logger } = services;
  const known = new Map((await orphansOf(db, engine)).map((orphan) => [orphan.guest_id, orphan]));
  // A VM may have been ordered between the two reads.
  const ids = unowned.map(({ id }) => id);
  const living = ids.length > 0 ? await livingAmong(db, ids) : new Set();
  const orphans = new Map(unowned.flatMap(({ id, hostId }) => (living.has(id) ? [] : [[id, hostId]])));
  for (const orphan of known.values())
    if (!orphans.has(orphan.guest_id)) await db.transaction((tx) => forgetOrphan(tx, orphan, clock.now()));
  const unknown = [...orphans].filter(([id]) => (known.get(id)?.vcpu ?? null) === null);
  for (const [id, host_id] of unknown.slice(0, BATCH)) {
    const guest = await look(services, id);
    // The orphan is gone: its VM's deletion has ended in the meantime.
    if (guest === 'absent') continue;
    const { vcpu = null, ramMb = null, diskGb = null, addresses = [] } = guest ?? {};
    const found = { engine, guest_id: id, host_id, vcpu, ram_mb: ramMb, disk_gb: diskGb, addresses };
    if (await db.transaction((tx) => noteOrphan(tx, found, clock.now())))
      logger.error({ guest_id: id, addresses }, 'a guest belongs to no VM: see vaubanctl orphan list');
  }
  return orphans.size;
}

/** Returns undefined if the guest cannot be inspected. */
function look({ compute }: OrphanServices, id: string): Promise<GuestState | 'absent' | undefined> {
  return compute.inspect(id).then(
    (guest) => guest ?? 'absent',
    () => undefined,
  );
}
