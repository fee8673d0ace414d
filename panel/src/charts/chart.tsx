import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import classes from './chart.module.css';
import type { Columns } from './series.ts';

/** A line of a chart. `colour` is the name of a design token, so that a theme change repaints the line. */
export interface Line {
  label: string;
  colour: 'info' | 'ok' | 'shield' | 'warn' | 'bad' | 'faint';
  /** Tints the area below the line. */
  filled?: boolean;
  dashed?: boolean;
}

export interface ChartProps {
  /** The accessible name of the chart. */
  label: string;
  columns: Columns;
  lines: readonly Line[];
  /** Formats a value with its unit, such as "34 %". */
  format: (value: number) => string;
  height?: number;
  /** The upper end of the axis; the largest value by default. */
  max?: number | undefined;
  /** Moments to mark, in epoch seconds. */
  marks?: readonly { at: number; colour: Line['colour'] }[];
  locale: string;
}

/** Lines over time. Unknown values leave a gap in the line. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const latestProps = useRef(props);
  latestProps.current = props;
  const plot = useRef<uPlot | null>(null);
  const { columns, lines, max, marks } = props;
  const shape = JSON.stringify([lines, max, props.height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart of another shape is another chart
  useEffect(() => {
    let isGone = false;
    const cleanups: (() => void)[] = [];
    void (async () => {
      const { draw } = await import('./draw.ts');
      if (isGone || !place.current) return;
      const drawn = draw(place.current, () => latestProps.current, setHovered);
      plot.current = drawn.plot;
      cleanups.push(drawn.destroy);
    })();
    return () => {
      isGone = true;
      plot.current = null;
      for (const cleanup of cleanups) cleanup();
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(columns as uPlot.AlignedData), [columns]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks are drawn over the lines
  useEffect(() => plot.current?.redraw(), [marks]);
  return (
    <figure className={classes.chart} aria-label={props.label}>
      <div ref={place} className={classes.place} data-height={props.height ?? 120} />
      <Legend {...props} hovered={hovered} />
    </figure>
  );
}

/** The values under the pointer. Without a pointer only the names are shown, so that the layout does not jump. */
function Legend({ columns, lines, format, hovered, locale }: ChartProps & { hovered: number | null }) {
  const at = hovered === null ? undefined : columns[0][hovered];
  return (
    <figcaption className={classes.legend}>
      {lines.map((line, i) => {
        const value = hovered === null ? undefined : columns[i + 1]?.[hovered];
        return (
          <span key={line.label} className={classes.entry}>
            <i className={classes.swatch} data-colour={line.colour} data-dashed={line.dashed || undefined} />
            {line.label}
            {typeof value === 'number' && <b>{format(value)}</b>}
            {value === null && <b>–</b>}
          </span>
        );
      })}
      {at !== undefined && <time>{timeOf(at, locale)}</time>}
    </figcaption>
  );
}

const timeOf = (seconds: number, locale: string) =>
  // biome-ignore lint/style/noRestrictedGlobals: shows a time
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(seconds * 1000);
