// Runs several test files in one process, one after the other: modules are loaded and compiled once, and all of them share
// the embedded databases. The files are in VAUBAN_TEST_FILES, as a JSON array of absolute paths.
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

for (const file of JSON.parse(process.env.VAUBAN_TEST_FILES!) as string[]) {
  // The tests and hooks that a file registers while loading belong to this test, which ends when they have ended.
  test(file, async () => {
    await import(pathToFileURL(file).href);
  });
}

test('the databases that the files shared are closed', async () => {
  const { closeIdleDatabases } = await import('../../test/support/database-pool.ts');
  await closeIdleDatabases();
});
