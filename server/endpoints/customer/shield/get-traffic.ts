import { targetIdsOf } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { MAX_POINTS, metricsWindow } from '../../../metering/window.ts';
import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { readTraffic, TRAFFIC_SERIES, type TrafficSeries } from '../../../shield/traffic.ts';
import { instantFrom } from '../shared/instant-query.ts';
import { presentSeries, SeriesShape, SeriesWindow } from '../shared/series-shape.ts';
import { loadTenant, TenantParams } from './load-tenant.ts';

export const getEdgeTraffic = endpoint({
  audience: 'customer',
  operation: 'getEdgeTraffic',
  method: 'GET',
  path: '/v1/tenants/{tid}/traffic',
  scope: 'shield:read',
  tag: 'shield',
  summary: 'Get the traffic at the edge over time',
  description: [
    'Returns the traffic of one protected IP or of the whole tenant. Incoming traffic is the sum of passed and',
    'dropped traffic. Values are measured every 10 seconds and available within 20; they are stored, condensed and queried like the',
    `metrics of a VM, with at most ${MAX_POINTS} points per series.`,
  ].join(' '),
  params: TenantParams,
  query: Type.Object({
    target_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only this protected IP; defaults to the whole tenant' }),
    ),
    ...SeriesWindow,
  }),
  data: SeriesShape,
  errors: [],
  example: {
    start_at: '2026-01-05T13:00:00.000Z',
    end_at: '2026-01-05T13:02:00.000Z',
    step_seconds: 60,
    series: {
      dropped_pps: {
        unit: 'packets_per_second',
        points: [
          [1767618000, 183_000],
          [1767618060, null],
        ],
      },
    },
  },
  load: loadTenant,
  async handle({ resource: tenant, query, db, now }) {
    const all = await targetIdsOf(db, tenant.id);
    const { target_id } = query;
    if (target_id !== undefined && !all.includes(target_id)) {
      throw invalidField('target_id', 'not_found', 'is not a protected IP of the tenant');
    }
    const range = { from: instantFrom(query.from), to: instantFrom(query.to), step: query.step };
    const window = metricsWindow(range, now);
    const series = await readTraffic(db, { targetIds: target_id ? [target_id] : all, window, now });
    const named = Object.entries(series).map(([name, points]) => ({
      name,
      unit: TRAFFIC_SERIES[name as TrafficSeries],
      points,
    }));
    return { data: presentSeries(window, named) };
  },
});
