import { VM_SERIES } from '../../../db/queries/vms/metrics.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { readMetrics } from '../../../metering/read-metrics.ts';
import { METRIC_GROUPS, type MetricGroup, SERIES, seriesOf } from '../../../metering/series.ts';
import { MAX_POINTS, metricsWindow } from '../../../metering/window.ts';
import { Type } from '../../../platform/schema.ts';
import { instantFrom } from '../shared/instant-query.ts';
import { presentSeries, SeriesShape, SeriesWindow } from '../shared/series-shape.ts';
import { loadVm } from './load-vm.ts';

const GROUP = `(${METRIC_GROUPS.join('|')})`;

export const getVmMetrics = endpoint({
  audience: 'customer',
  operation: 'getVmMetrics',
  method: 'GET',
  path: '/v1/vm/{id}/metrics',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Get CPU, memory, disk and network use over time',
  description: [
    'Series are averages over steps; a step without data (the VM was off, or nothing was measured)',
    'is `null`. The last step may be incomplete. Values are measured every 10 seconds and available within 20; each full',
    'hour that is more than two hours old is kept by the minute, each full day that is more than two days old by',
    'five minutes, for 30 days. `step` must be a multiple of the resolution kept at `from` and give at most',
    `${MAX_POINTS} points. \`cpu_percent\` is 100 when all virtual CPUs are busy.`,
  ].join(' '),
  params: VmParams,
  query: Type.Object({
    ...SeriesWindow,
    metrics: Type.Optional(
      Type.String({
        pattern: `^${GROUP}(,${GROUP})*$`,
        'x-expected': `one or more of ${METRIC_GROUPS.join(', ')}, separated by commas`,
        maxLength: 64,
        description: `One or more of ${METRIC_GROUPS.join(', ')}, separated by commas; defaults to all`,
        examples: ['cpu,network'],
      }),
    ),
  }),
  data: SeriesShape,
  errors: [],
  example: {
    start_at: '2026-01-05T10:00:00.000Z',
    end_at: '2026-01-05T10:02:00.000Z',
    step_seconds: 60,
    series: {
      cpu_percent: {
        unit: 'percent',
        points: [
          [1767607200, 12.5],
          [1767607260, null],
        ],
      },
    },
  },
  load: loadVm,
  async handle({ resource: vm, query, db, now }) {
    const range = { from: instantFrom(query.from), to: instantFrom(query.to), step: query.step };
    const window = metricsWindow(range, now);
    const groups = query.metrics === undefined ? METRIC_GROUPS : (query.metrics.split(',') as MetricGroup[]);
    const series = await readMetrics(db, {
      store: VM_SERIES,
      id: vm.id,
      names: seriesOf(groups),
      window,
      now,
    });
    const named = [...series].map(([name, points]) => ({ name, unit: SERIES[name].unit, points }));
    return { data: presentSeries(window, named) };
  },
});
