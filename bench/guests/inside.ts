import { mkdirSync } from 'node:fs';
import type { Lifetime } from '../../test/support/cleanup.ts';
import { defer } from '../../test/support/cleanup.ts';
import { findPostgres, startPostgres } from '../../test/support/postgres-server.ts';
import { makePlace, type Place } from '../bench.ts';
import type { SiteOrder } from '../host-env.ts';
import { during, endAll } from '../lifetime.ts';
import type { Claim } from '../report.ts';

/** Runs a measurement inside a namespace, and ends it cleanly on a signal. */
export function carryOut(measure: (life: Lifetime, order: SiteOrder) => Promise<Claim[]>): void {
  // A terminal sends signals to all processes at once; this one is ended by its parent, after everything it has
  // started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.once('message', async (order: SiteOrder) => {
    const claims = await during((life) => measure(life, order));
    process.send!(claims, () => process.disconnect());
  });
  process.once('disconnect', async () => {
    await endAll();
    process.exit();
  });
}

/** Makes a place for a service in the namespace, with a separate PostgreSQL, because it can reach no other. */
export async function makePlaceInside(life: Lifetime, { workspace, engine }: SiteOrder): Promise<Place> {
  if (engine === 'pglite') return makePlace({ workspace, postgresUrl: undefined }, engine);
  const postgres = await startPostgres(findPostgres()!, { durable: true });
  defer(life, () => postgres.stop(false));
  return makePlace({ workspace, postgresUrl: postgres.url }, engine);
}

let directories = 0;

export function makeDirectory({ workspace }: SiteOrder): string {
  const directory = `${workspace}/d${++directories}`;
  mkdirSync(directory);
  return directory;
}
