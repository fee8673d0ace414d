import type { Lifetime } from '../test/support/cleanup.ts';

const open = new Set<() => Promise<void>>();

/** Does some work and then cleans up what was made for it, whether the work succeeded or not. */
export async function during<T>(work: (life: Lifetime) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = [];
  const endOnce = async () => {
    for (let next = ends.pop(); next; next = ends.pop()) await next();
    open.delete(end);
  };
  let ending: Promise<void> | undefined;
  // A second caller waits too, because the process may exit as soon as one of them has finished.
  const end = () => {
    ending ??= endOnce();
    return ending;
  };
  open.add(end);
  try {
    return await work({ after: (one) => void ends.push(one) });
  } finally {
    await end();
  }
}

/** Cleans up everything that is left, for a bench run that is interrupted. */
export async function endAll(): Promise<void> {
  for (const end of [...open].reverse()) await end();
}
