import { type Database, sql } from '../../../server/db/database.ts';
import { BELIEVED_AFTER_MS } from '../../../server/jobs/reconcilers/reconcile-guests.ts';
import type { Fixture } from './fixture.ts';

// What happens to simulated guests behind the service's back.

/** The guest is off without an event: as after a reboot of its host. */
export async function cutPower(db: Database, ...ids: string[]): Promise<void> {
  await db.query(sql`
    update simulator_guests set state = state || '{"run": null}' where id = any(${ids}::text[])`);
}

/** The guest runs, however it was started. */
export async function switchOn(db: Database, id: string): Promise<void> {
  const run = { since: 0, bootFrom: 0, bootUntil: 0, end: null };
  await db.query(sql`
    update simulator_guests set state = state || ${JSON.stringify({ run })}::jsonb where id = ${id}`);
}

/** Gives the guest another hostname, by which it has habits. */
export async function rename(db: Database, id: string, hostname: string): Promise<void> {
  await db.query(sql`
    update simulator_guests set state = state || jsonb_build_object('hostname', ${hostname}::text) where id = ${id}`);
}

/** Lets the reconciler have its rounds until it believes what it sees, and the jobs that follow end. */
export async function reconcile(fixture: Fixture): Promise<void> {
  const { guests, clock } = fixture.installation.services;
  await guests.run();
  clock.advance(BELIEVED_AFTER_MS);
  await guests.run();
  await fixture.finish();
}
