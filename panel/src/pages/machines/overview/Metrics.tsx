import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { read } from '../../../api/queries.ts';
import { Chart, type Line } from '../../../charts/chart.tsx';
import { columnsOf, latest, type Series } from '../../../charts/series.ts';
import { useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Skeleton } from '../../../ui/Loaded.tsx';
import { Problem } from '../../../ui/Notice.tsx';
import { Card, Columns, Stack } from '../../../ui/Page.tsx';
import { formatPercent, formatRate } from '../formats.ts';
import classes from './overview.module.css';
import { overviewTexts } from './texts.ts';

/** Periods in seconds, each with a step that gives 120 to 180 points, and the polling interval in milliseconds. */
const RANGES = {
  hour: { seconds: 3_600, step: 30, again: 15_000 },
  day: { seconds: 86_400, step: 600, again: 60_000 },
  week: { seconds: 7 * 86_400, step: 3_600, again: 300_000 },
  month: { seconds: 30 * 86_400, step: 14_400, again: 600_000 },
} as const;
type Range = keyof typeof RANGES;
const MB = 1024 * 1024;

/** A machine's metrics over time. Lines have gaps while values are unknown. */
export function Metrics({ vm }: { vm: Vm }) {
  const t = useTexts(overviewTexts);
  const [range, setRange] = useState<Range>('hour');
  const { seconds, step, again } = RANGES[range];
  const query = useQuery({
    queryKey: ['getVmMetrics', 'live', vm.id, range],
    // The start of the period moves with each fetch.
    queryFn: ({ client, signal }) => {
      const from = new Date(Date.now() - seconds * 1000).toISOString();
      const { queryFn } = read('getVmMetrics', { params: { id: vm.id }, query: { from, step } });
      return (queryFn as (context: object) => Promise<Series>)({ client, signal });
    },
    refetchInterval: again,
    placeholderData: (old) => old,
  });
  return (
    <Stack>
      <div className={classes.range}>
        <Choice
          label={t.range}
          value={range}
          onChange={setRange}
          options={[
            { value: 'hour', label: t.hour },
            { value: 'day', label: t.day },
            { value: 'week', label: t.week },
            { value: 'month', label: t.month },
          ]}
        />
      </div>
      {query.error && !query.data && <Problem error={query.error} />}
      {query.isPending && <Skeleton lines={8} />}
      {query.data && <Charts series={query.data} vm={vm} />}
    </Stack>
  );
}

function Charts({ series, vm }: { series: Series; vm: Vm }) {
  const t = useTexts(overviewTexts);
  const locale = useLocale();
  const bits = (value: number) => formatRate(value, 'bit/s', 1000, locale);
  const bytes = (value: number) => formatRate(value, 'B/s', 1000, locale);
  return (
    <>
      <Graph
        title={t.processor}
        series={series}
        big
        format={(value) => formatPercent(value, locale)}
        max={100}
        lines={{ cpu_percent: { label: t.used, colour: 'info', filled: true } }}
      />
      <Columns>
        <Graph
          title={t.network}
          series={series}
          format={bits}
          lines={{
            net_in_bps: { label: t.in, colour: 'shield', filled: true },
            net_out_bps: { label: t.out, colour: 'info' },
          }}
        />
        <Graph
          title={t.disk}
          series={series}
          format={bytes}
          lines={{
            disk_read_bytes_per_second: { label: t.read, colour: 'ok', filled: true },
            disk_write_bytes_per_second: { label: t.write, colour: 'warn' },
          }}
        />
        <Graph
          title={t.memory}
          series={series}
          format={(value) => formatRate(value, 'B', 1024, locale)}
          max={vm.ram_mb * MB}
          lines={{ ram_used_bytes: { label: t.used, colour: 'ok', filled: true } }}
        />
        <Graph
          title={t.packets}
          series={series}
          format={(value) => formatRate(value, 'pps', 1000, locale)}
          lines={{
            net_in_pps: { label: t.in, colour: 'shield', filled: true },
            net_out_pps: { label: t.out, colour: 'info' },
          }}
        />
      </Columns>
    </>
  );
}

function Graph({
  title,
  series,
  lines,
  format,
  max,
  big,
}: {
  title: string;
  series: Series;
  lines: Record<string, Line>;
  format: (value: number) => string;
  max?: number;
  big?: boolean;
}) {
  const t = useTexts(overviewTexts);
  const locale = useLocale();
  const names = Object.keys(lines).join();
  const columns = useMemo(() => columnsOf(series, names.split(',')), [series, names]);
  const now = columns.slice(1).map((column) => latest(column));
  const present = now.some((value) => value !== null)
    ? now.map((value) => (value === null ? '–' : format(value))).join(' / ')
    : t.noValue;
  return (
    <Card title={title} actions={<span className={big ? classes.bigValue : classes.value}>{present}</span>}>
      <Chart
        label={`${title}: ${present}`}
        columns={columns}
        lines={Object.values(lines)}
        format={format}
        max={max}
        height={big ? 180 : 90}
        locale={locale}
      />
    </Card>
  );
}
