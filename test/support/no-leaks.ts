import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** A closed connection or an ended process may need a moment to leave the event loop; on a busy machine, several seconds. */
const GRACE = 30_000;

// Loaded into every test file by the runner (and into the runner itself, which has no tests). After its tests a file
// must exit without help; anything that keeps it alive is a leak, and is reported instead of waited for.
if (process.env.NODE_TEST_CONTEXT && isMainThread) {
  let over = false;
  // The runner treats exit code 0 as success even if a test ended the process and the remaining tests never ran.
  process.once('exit', () => {
    if (over || process.exitCode) return;
    console.error('Error: the process ended before its tests had');
    process.exitCode = 1;
  });
  after(() => {
    over = true;
    setTimeout(() => {
      console.error(`leak: still open after the tests: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(1);
    }, GRACE).unref();
  });
}
