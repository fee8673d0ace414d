/** Told whether the test, or a clean-up before this one, has failed. */
type Cleanup = (failed: boolean) => unknown;

/** What things last for: a test, or a part of the bench. */
export interface Lifetime {
  after(end: () => Promise<void>): void;
}

const stacks = new WeakMap<Lifetime, Cleanup[]>();

/**
 * Runs `cleanup` when the test has ended, the last one first: `t.after` runs the first one first, which would
 * take the database away from under the service that uses it. All of them run, whatever one of them throws.
 */
export function defer(t: Lifetime, cleanup: Cleanup): void {
  const stack = stacks.get(t);
  if (stack) {
    stack.push(cleanup);
    return;
  }
  const fresh = [cleanup];
  stacks.set(t, fresh);
  // Missing from Node's published types.
  const ended = t as Lifetime & { readonly passed?: boolean };
  t.after(async () => {
    const errors: unknown[] = [];
    for (let next = fresh.pop(); next; next = fresh.pop()) {
      try {
        await next(!ended.passed || errors.length > 0);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'cleanup failed');
  });
}
