import { type Database, sql } from '../../../server/db/database.ts';
import { BELIEVED_AFTER_MS } from '../../../server/jobs/reconcilers/reconcile-guests.ts';
import type { Fixture } from './fixture.ts';

// Events of simulated guests without the service's knowledge.

/** Switches the guest off without an event, as after a reboot of its host. */
export async function cutPower(db: Database, ...ids: string[]): Promise<void> {
  await db.query(sql`
    update simulator_guests set state = state || '{"run": null}' where id = any(${ids}::text[])`);
}

/** Makes the guest run, as if something else had started it. */
export async function switchOn(db: Database, id: string): Promise<void> {
  const run = { since: 0, bootFrom: 0, bootUntil: 0, end: null };
  await db.query(sql`
    update simulator_guests set state = state || ${JSON.stringify({ run })}::jsonb where id = ${id}`);
}

/** Gives the guest another hostname, which determines its behaviour. */
export async function rename(db: Database, id: string, hostname: string): Promise<void> {
  await db.query(sql`
    update simulator_guests set state = state || jsonb_build_object('hostname', ${hostname}::text) where id = ${id}`);
}

/** Runs the reconciler until it trusts its findings, and the resulting jobs to completion. */
export async function reconcile(fixture: Fixture): Promise<void> {
  const { guests, clock } = fixture.installation.services;
  await guests.run();
  clock.advance(BELIEVED_AFTER_MS);
  await guests.run();
  await fixture.finish();
}
