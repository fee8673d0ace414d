import { after } from 'node:test';

/** A closed connection or an ended process may need a moment to leave the event loop. */
const GRACE = 5_000;

// Loaded into every test file by the runner (and into the runner itself, which has no tests). Once its tests
// are over a file must end by itself; what keeps it alive is a leak, and is named instead of waited for.
if (process.env.NODE_TEST_CONTEXT) {
  after(() => {
    setTimeout(() => {
      console.error(`leak: still open after the tests: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(1);
    }, GRACE).unref();
  });
}
