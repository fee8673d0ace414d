import type { Lifetime } from '../test/support/cleanup.ts';

const open = new Set<() => Promise<void>>();

/** Does some work and takes away what was made for it, whether it succeeded or not. */
export async function during<T>(work: (life: Lifetime) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = [];
  const endOnce = async () => {
    for (let next = ends.pop(); next; next = ends.pop()) await next();
    open.delete(end);
  };
  let ending: Promise<void> | undefined;
  // A second caller waits too: the process may end as soon as one of them is through.
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

/** Takes away whatever is left: for a bench that is interrupted. */
export async function endAll(): Promise<void> {
  for (const end of [...open].reverse()) await end();
}
