import { findPostgres, startPostgres } from '../../test/support/postgres-server.ts';

const given = process.env.VAUBAN_TEST_DATABASE_URL || undefined;

/**
 * Returns whether tests can run on PostgreSQL: on the server in VAUBAN_TEST_DATABASE_URL, or with installed programs.
 */
export function hasPostgres(): boolean {
  return given !== undefined || findPostgres() !== undefined;
}

/**
 * Calls `use` with the URL of a server. Starts a private one unless the caller specified one; its data is kept after a
 * failure, so that the databases of failed tests can be inspected.
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
