/** Returns the value that `share` (0 to 1) of the samples do not exceed. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export const median = (samples: readonly number[]) => quantile(samples, 0.5);

/**
 * Runs two competitors in turn, A B A B …, so that load on the machine affects both, and compares each pair. Results
 * are rates: more is better.
 */
export async function compare(rounds: number, a: () => Promise<number>, b: () => Promise<number>) {
  const pairs: { a: number; b: number }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ a: await a(), b: await b() });
  const rate = (values: number[]) => Math.round(median(values)).toLocaleString('en');
  return {
    ratio: median(pairs.map((pair) => pair.a / pair.b)),
    a: rate(pairs.map((pair) => pair.a)),
    b: rate(pairs.map((pair) => pair.b)),
  };
}
