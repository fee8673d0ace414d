/** Building blocks of simulated load: the same for every caller, and after any restart. */

/** Returns a deterministic stream of numbers in [0, 1) seeded by a text (FNV-1a, then mulberry32). */
export function seeded(text: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns the cosine of a wave at `at` seconds. Whole turns are dropped first, because cosines of large angles are
 * slow.
 */
function cosineAt(at: number, period: number, phase: number): number {
  return Math.cos(2 * Math.PI * ((at / period) % 1) + phase);
}

/** Returns the integral of `height · sin` from `from` to `to`, in seconds. */
export function waveIntegral(
  height: number,
  period: number,
  phase: number,
  from: number,
  to: number,
): number {
  const amplitude = (height * period) / (2 * Math.PI);
  return amplitude * (cosineAt(from, period, phase) - cosineAt(to, period, phase));
}
