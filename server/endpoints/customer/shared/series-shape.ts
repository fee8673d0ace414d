import { Shape, Timestamp } from '../../../http/schemas.ts';
import type { Point } from '../../../metering/averages.ts';
import { MAX_POINTS, type Window } from '../../../metering/window.ts';
import { Type } from '../../../platform/schema.ts';
import { InstantInput } from './instant-query.ts';

const SECONDS_PER_DAY = 86_400;

/** A pair, described as a list of two, because code generators read `prefixItems` as "no items". */
const POINT = Type.Unsafe<[number, number | null]>({
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: ['number', 'null'] },
});

export const SeriesShape = Shape(
  {
    start_at: Timestamp('Start of the first step'),
    end_at: Timestamp('End of the last step'),
    step_seconds: Type.Integer({
      minimum: 1,
      description: 'Length of a step; steps are aligned to the epoch',
    }),
    series: Type.Record(
      Type.String(),
      Shape(
        {
          unit: Type.String(),
          points: Type.Array(POINT, {
            maxItems: MAX_POINTS,
            description:
              'Start of each step in epoch seconds, and the average over it; null if it is unknown',
          }),
        },
        { $id: 'SeriesValues', description: 'One series' },
      ),
      { description: 'By name' },
    ),
  },
  { $id: 'Series', description: 'Values over time' },
);

interface NamedSeries {
  name: string;
  unit: string;
  points: Point[];
}

export function presentSeries({ start, end, stepSeconds }: Window, series: NamedSeries[]) {
  return {
    start_at: start,
    end_at: end,
    step_seconds: stepSeconds,
    series: Object.fromEntries(series.map(({ name, unit, points }) => [name, { unit, points }])),
  };
}

export const SeriesWindow = {
  from: Type.Optional(InstantInput('Start; defaults to an hour before `to`')),
  to: Type.Optional(InstantInput('End; defaults to now, which is also the latest value')),
  step: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: SECONDS_PER_DAY,
      multipleOf: 10,
      description: 'In seconds; defaults to the shortest possible step',
    }),
  ),
};
