import type { Series } from '../../../sdk/src/index.ts';

/** Returns the latest, mean and highest value of each series. */
export function latest({ start_at, end_at, step_seconds, series }: Series): object {
  const rows = Object.entries(series).map(([name, { unit, points }]) => {
    const values = points.map(([, value]) => value).filter((value) => value !== null && value !== undefined);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      name,
      unit,
      latest: rounded(values.at(-1)),
      mean: rounded(values.length > 0 ? mean : undefined),
      highest: rounded(values.length > 0 ? Math.max(...values) : undefined),
    };
  });
  return { start_at, end_at, step_seconds, series: rows };
}

const rounded = (value: number | undefined) =>
  value === undefined ? null : Math.abs(value) < 100 ? Number(value.toFixed(2)) : Math.round(value);
