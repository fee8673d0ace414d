/** Why something could not be set up, as lines for people. */
export class SetupError extends Error {}

/** Runs one step of a set-up and reports it: before, because it may take minutes, and after, with the time it took. */
export async function step<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  console.log(`..  ${what}`);
  const start = performance.now();
  const result = await run();
  console.log(`ok  ${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return result;
}

/** Prints a line of output from a running step. */
export function detail(line: string): void {
  console.log(`      ${line}`);
}

/** Reports something that does not work here but is not essential. */
export function limited(what: string): void {
  console.log(`--  ${what}`);
}
