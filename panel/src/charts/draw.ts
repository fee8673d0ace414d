import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps, Line } from './chart.tsx';

type Drawn = Omit<ChartProps, 'label'>;

const FONT = '11px "JetBrains Mono", ui-monospace, monospace';
/** The upper end of the axis if every value is zero. */
const LEAST = 1;
const HEADROOM = 1.1;

/** Draws a chart in `place` and resizes it with `place`. `current` returns the data to show. */
export function draw(
  place: HTMLElement,
  current: () => Drawn,
  hover: (index: number | null) => void,
): { plot: uPlot; destroy: () => void } {
  const { columns, lines, height = 120 } = current();
  const ground = () => resolved(place, 'var(--line)');
  const plot = new uPlot(
    {
      width: Math.max(40, place.clientWidth),
      height,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, current().max ?? topOf(most)] } },
      axes: [
        {
          ...axis(place, ground),
          grid: { show: false },
          space: 70,
          size: 22,
          values: (_plot, splits) => times(splits, current().locale),
        },
        {
          ...axis(place, ground),
          // Powers of ten for open-ended axes; quarters for an axis with a fixed maximum.
          splits: (_plot, _axis, least, most) => splitsOf(least, most, height, current().max !== undefined),
          size: (_plot, values) => 12 + 7 * Math.max(3, ...(values ?? []).map((value) => value.length)),
          values: (_plot, splits) => splits.map((value) => current().format(value)),
        },
      ],
      series: [
        {},
        ...lines.map(({ label, colour, filled, dashed }) => ({
          label,
          width: 1.5,
          spanGaps: false,
          points: { show: alone },
          ...(dashed && { dash: [4, 4] }),
          stroke: () => resolved(place, `var(--${colour})`),
          ...(filled && {
            fill: () => resolved(place, `color-mix(in oklab, var(--${colour}) 11%, transparent)`),
          }),
        })),
      ],
      hooks: {
        setCursor: [(self) => hover(self.cursor.idx ?? null)],
        draw: [
          (self) => drawMarks(self, current().marks ?? [], (colour) => resolved(place, `var(--${colour})`)),
        ],
      },
    },
    columns as uPlot.AlignedData,
    place,
  );
  return { plot, destroy: follow(plot, place, height) };
}

/** Keeps the chart at the width of its container and in the colours of the theme until it is destroyed. */
function follow(plot: uPlot, place: HTMLElement, height: number): () => void {
  const sizes = new ResizeObserver(() => plot.setSize({ width: Math.max(40, place.clientWidth), height }));
  sizes.observe(place);
  const themes = new MutationObserver(() => plot.redraw());
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => plot.redraw();
  dark.addEventListener('change', redraw);
  return () => {
    sizes.disconnect();
    themes.disconnect();
    dark.removeEventListener('change', redraw);
    plot.destroy();
  };
}

/** Resolves a colour for the canvas. A token may be a function of the theme, which only an element can evaluate. */
function resolved(place: HTMLElement, colour: string): string {
  place.style.color = colour;
  const value = getComputedStyle(place).color;
  place.style.color = '';
  return value;
}

function axis(place: HTMLElement, ground: () => string): uPlot.Axis {
  return {
    font: FONT,
    stroke: () => resolved(place, 'var(--faint)'),
    grid: { stroke: ground, width: 1 },
    ticks: { show: false },
    gap: 6,
  };
}

/** Height per grid line, in pixels. */
const LINE_ROOM = 34;

function splitsOf(least: number, most: number, height: number, hasTop: boolean): number[] {
  const count = height < 4 * LINE_ROOM ? 2 : 4;
  if (hasTop) return Array.from({ length: count + 1 }, (_, i) => (most / count) * i);
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

const topOf = (most: number | null) => Math.max(LEAST, (most ?? 0) * HEADROOM);

const DAY = 86_400;

/**
 * Labels just precise enough to tell neighbours apart: days if they are days apart, seconds if less than a minute
 * apart.
 */
function times(splits: number[], locale: string): string[] {
  const [first = 0, second = first] = splits;
  const span = (splits.at(-1) ?? first) - first;
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  // biome-ignore lint/style/noRestrictedGlobals: shows a time
  const options: Intl.DateTimeFormatOptions =
    span > 2 * DAY
      ? { day: 'numeric', month: 'short' }
      : second - first < 60
        ? { ...clock, second: '2-digit' }
        : clock;
  // biome-ignore lint/style/noRestrictedGlobals: shows a time
  const format = new Intl.DateTimeFormat(locale, options);
  return splits.map((at) => format.format(at * 1000));
}

/** A value between two gaps has no line, so it is drawn as a point. */
const alone: uPlot.Series.Points.Show = (self, line, first, last) => {
  const values = self.data[line]!;
  for (let i = first; i <= last; i++)
    if (values[i] !== null && values[i - 1] == null && values[i + 1] == null) return true;
  return false;
};

function drawMarks(
  self: uPlot,
  marks: readonly { at: number; colour: Line['colour'] }[],
  colourOf: (colour: string) => string,
): void {
  const { ctx, bbox } = self;
  for (const { at, colour } of marks) {
    const x = Math.round(self.valToPos(at, 'x', true));
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) continue;
    ctx.save();
    ctx.strokeStyle = colourOf(colour);
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}
