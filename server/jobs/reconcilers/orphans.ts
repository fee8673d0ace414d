import type { ComputeDriver, GuestSight, GuestState } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { forgetOrphan, livingAmong, noteOrphan, orphansOf } from '../../db/queries/orphans.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';

interface OrphanServices {
  db: Database;
  clock: Clock;
  compute: ComputeDriver;
  engine: string;
  logger: Logger;
}

/** Guests looked at in one round, each a question to the engine; the next round takes the rest. */
const BATCH = 100;

/**
 * Brings the list of orphans up to date: guests that the engine has and no VM, such as those of a database that was
 * restored from a backup. They are left alone, because they may be all that is left of a customer's data; the operator is
 * told, and nothing that they answer on is sold. `unowned` are guests that were listed after VMs were read, and had none.
 * How many there are.
 */
export async function noteOrphans(services: OrphanServices, unowned: GuestSight[]): Promise<number> {
  const { db, clock, engine, logger } = services;
  const known = new Map((await orphansOf(db, engine)).map((orphan) => [orphan.guest_id, orphan]));
  // A VM may have been ordered between the two looks.
  const ids = unowned.map(({ id }) => id);
  const living = ids.length > 0 ? await livingAmong(db, ids) : new Set();
  const orphans = new Map(unowned.flatMap(({ id, hostId }) => (living.has(id) ? [] : [[id, hostId]])));
  for (const orphan of known.values())
    if (!orphans.has(orphan.guest_id)) await db.transaction((tx) => forgetOrphan(tx, orphan, clock.now()));
  const unknown = [...orphans].filter(([id]) => (known.get(id)?.vcpu ?? null) === null);
  for (const [id, host_id] of unknown.slice(0, BATCH)) {
    const guest = await look(services, id);
    // Its VM's deletion has ended meanwhile.
    if (guest === 'absent') continue;
    const { vcpu = null, ramMb = null, diskGb = null, addresses = [] } = guest ?? {};
    const found = { engine, guest_id: id, host_id, vcpu, ram_mb: ramMb, disk_gb: diskGb, addresses };
    if (await db.transaction((tx) => noteOrphan(tx, found, clock.now())))
      logger.error({ guest_id: id, addresses }, 'a guest that no VM has: see vaubanctl orphan list');
  }
  return orphans.size;
}

/** Undefined where it cannot be seen. */
function look({ compute }: OrphanServices, id: string): Promise<GuestState | 'absent' | undefined> {
  return compute.inspect(id).then(
    (guest) => guest ?? 'absent',
    () => undefined,
  );
}
