import classes from './chart.module.css';
import { sparkRuns } from './series.ts';

const WIDTH = 72;
const HEIGHT = 20;

/** A small line without axes for a table row; renders no line if all values are unknown. */
export function Sparkline({
  values,
  top,
  label,
}: {
  values: readonly (number | null)[];
  top: number;
  label: string;
}) {
  const runs = sparkRuns(values, { width: WIDTH, height: HEIGHT - 2, top });
  return (
    <svg
      className={classes.spark}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT}`}
      role="img"
    >
      <title>{label}</title>
      {runs.map((points) => (
        <polyline key={points} points={points} />
      ))}
    </svg>
  );
}
