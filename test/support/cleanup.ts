/** Receives whether the test, or an earlier cleanup, has failed. */
type Cleanup = (failed: boolean) => unknown;

/** The scope of a resource: a test, or a part of the bench. */
export interface Lifetime {
  after(end: () => Promise<void>): void;
}

const stacks = new WeakMap<Lifetime, Cleanup[]>();

/**
 * Runs `cleanup` when the test has ended, in reverse order: `t.after` runs in order, which would remove the database
 * while the service still uses it. All of them run, even if one throws.
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
