/** A series as the API returns it: one point per step, null if unknown. */
export interface Series {
  start_at: string;
  end_at: string;
  step_seconds: number;
  series: Record<string, { unit: string; points: (number | null)[][] }>;
}

/** One column of times in epoch seconds, then one column of values per line. */
export type Columns = [number[], ...(number | null)[][]];

/**
 * Returns the lines of a chart on one common time axis. A step that the service left out becomes null, so that no line
 * is drawn across the gap.
 */
export function columnsOf(source: Series, names: readonly string[]): Columns {
  const lines = names.map((name) => source.series[name]?.points ?? []);
  const times = new Set<number>();
  for (const points of lines) for (const [at] of points) if (typeof at === 'number') times.add(at);
  const sorted = [...times].sort((a, b) => a - b);
  const axis = filled(sorted, source.step_seconds);
  const columns = lines.map((points) => {
    const values = new Map(points.map(([at, value]) => [at, value]));
    return axis.map((at) => values.get(at) ?? null);
  });
  return [axis, ...columns];
}

/** Adds a time in the middle of every gap, at which all lines are null. */
function filled(times: readonly number[], step: number): number[] {
  return times.flatMap((at, i) => {
    const before = times[i - 1];
    return before !== undefined && at - before > step * 1.5 ? [before + step, at] : [at];
  });
}

/**
 * Returns the newest known value, or null if the last `within` steps are all unknown: an older value would look
 * current.
 */
export function latest(column: readonly (number | null)[], within = 3): number | null {
  for (let i = column.length - 1; i >= Math.max(0, column.length - within); i--) {
    const value = column[i];
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

/** Returns the largest known value, 0 if there is none. */
export const peak = (column: readonly (number | null)[]) =>
  column.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);

/** Returns the unbroken runs of known values, each as the points of a path in a box. */
export function sparkRuns(
  values: readonly (number | null)[],
  { width, height, top }: { width: number; height: number; top: number },
): string[] {
  const x = (i: number) => (values.length < 2 ? 0 : (i / (values.length - 1)) * width);
  const y = (value: number) => height - Math.min(1, value / (top || 1)) * height;
  const runs: string[][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)!.push(`${x(i).toFixed(1)},${y(value).toFixed(1)}`);
  }
  return runs.filter((run) => run.length > 0).map((run) => run.join(' '));
}

const STEPS = ['', 'k', 'M', 'G', 'T', 'P'] as const;

/** Scales a value to between 1 and the base and returns its prefix: bits and packets by 1000, bytes by 1024. */
export function scaled(value: number, base: 1000 | 1024 = 1000): { value: number; prefix: string } {
  let [rest, i] = [Math.abs(value), 0];
  while (rest >= base && i < STEPS.length - 1) {
    rest /= base;
    i++;
  }
  return { value: value < 0 ? -rest : rest, prefix: STEPS[i]! };
}
