import { findPostgres, startPostgres } from '../../test/support/postgres-server.ts';

const given = process.env.VAUBAN_TEST_DATABASE_URL || undefined;

/** Whether tests can run on PostgreSQL: the server that VAUBAN_TEST_DATABASE_URL names, or installed programs. */
export function hasPostgres(): boolean {
  return given !== undefined || findPostgres() !== undefined;
}

/**
 * Calls `use` with the URL of a server. A private one is started unless the caller gave one; its data are kept after a
 * failure, for a look at the databases of failed tests.
 */
export async function withPostgres(use: (url: string) => Promise<boolean>): Promise<boolean> {
  if (given !== undefined) return use(given);
  const server = await startPostgres(findPostgres()!);
  let keep = false;
  try {
    const passed = await use(server.url);
    keep = !passed && process.env.CI === undefined;
    return passed;
  } finally {
    await server.stop(keep);
  }
}
