import { isoDate, readBandwidth } from '../../../db/queries/vms/bandwidth.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Nullable, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { bandwidthOf, monthOf } from '../../../metering/bandwidth.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from './load-vm.ts';

const BandwidthShape = Shape(
  {
    period_start_at: Timestamp('Start of the month'),
    period_end_at: Timestamp('Start of the next month'),
    in_bytes: Count('Received'),
    out_bytes: Count('Sent'),
    included_bytes: Nullable(Count('Outgoing traffic included in the plan per month; null if unmetered')),
    overage_bytes: Count('Outgoing traffic beyond the included amount'),
    daily: Type.Array(
      Shape(
        {
          date: Type.String({ format: 'date', description: 'Day in UTC' }),
          in_bytes: Count('Received'),
          out_bytes: Count('Sent'),
        },
        { $id: 'DailyTraffic', description: 'Traffic of a day' },
      ),
      { maxItems: 31, description: 'Days on which the VM ran, oldest first' },
    ),
  },
  { $id: 'Bandwidth', description: 'Traffic of a VM in a calendar month (UTC)' },
);

export const getVmBandwidth = endpoint({
  audience: 'customer',
  operation: 'getVmBandwidth',
  method: 'GET',
  path: '/v1/vm/{id}/bandwidth',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Get the traffic of a month',
  description:
    'Compares the traffic with the amount that the current plan includes; a gigabyte is 10⁹ bytes.',
  params: VmParams,
  query: Type.Object({
    month: Type.Optional(
      Type.String({
        pattern: '^[12][0-9]{3}-(0[1-9]|1[0-2])$',
        'x-expected': 'a month such as 2026-01',
        description: 'Month in UTC, not in the future; defaults to the current month',
        examples: ['2026-01'],
      }),
    ),
  }),
  data: BandwidthShape,
  errors: [],
  example: {
    period_start_at: '2026-01-01T00:00:00.000Z',
    period_end_at: '2026-02-01T00:00:00.000Z',
    in_bytes: 1048576,
    out_bytes: 52428800,
    included_bytes: 1000000000000,
    overage_bytes: 0,
    daily: [{ date: '2026-01-05', in_bytes: 1048576, out_bytes: 52428800 }],
  },
  load: loadVm,
  async handle({ resource: vm, query, db, now }) {
    const { start, end } = monthOf(query.month ?? isoDate(now).slice(0, 7), now);
    const days = await readBandwidth(db, vm.id, start, end);
    const { inBytes, outBytes, includedBytes, overageBytes } = bandwidthOf(days, vm.bandwidth_gb);
    return {
      data: {
        period_start_at: start,
        period_end_at: end,
        in_bytes: toJsonInteger(inBytes),
        out_bytes: toJsonInteger(outBytes),
        included_bytes: includedBytes === null ? null : toJsonInteger(includedBytes),
        overage_bytes: toJsonInteger(overageBytes),
        daily: days.map(({ date, in_bytes, out_bytes }) => ({
          date,
          in_bytes: toJsonInteger(in_bytes),
          out_bytes: toJsonInteger(out_bytes),
        })),
      },
    };
  },
});
