/** Why something could not be set up: lines for people. */
export class SetupError extends Error {}

/** Does one step of a set-up and says so: before it, because it may take minutes, and after it, with its time. */
export async function step<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  console.log(`..  ${what}`);
  const start = performance.now();
  const result = await run();
  console.log(`ok  ${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return result;
}

/** A line of a step that is under way. */
export function detail(line: string): void {
  console.log(`      ${line}`);
}

/** Something that does not work here and that the rest can do without. */
export function limited(what: string): void {
  console.log(`--  ${what}`);
}
