import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { read } from '../../api/queries.ts';
import { Chart } from '../../charts/chart.tsx';
import { columnsOf, latest, peak, type Series } from '../../charts/series.ts';
import { useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Choice } from '../../ui/Choice.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card } from '../../ui/Page.tsx';
import { formatRate } from '../machines/formats.ts';
import classes from './shield.module.css';
import { shieldTexts } from './texts.ts';

const RANGES = {
  hour: { seconds: 3_600, step: 10, again: 5_000 },
  day: { seconds: 86_400, step: 300, again: 60_000 },
  month: { seconds: 30 * 86_400, step: 7_200, again: 600_000 },
} as const;
type Range = keyof typeof RANGES;

/** Traffic at the edge, incoming, passed and dropped, for a tenant or one address. */
export function Traffic({ tid, target }: { tid: string; target?: string }) {
  const t = useTexts(shieldTexts);
  const [range, setRange] = useState<Range>('hour');
  const [unit, setUnit] = useState<'bps' | 'pps'>('bps');
  const { seconds, step, again } = RANGES[range];
  const query = useQuery({
    queryKey: ['getEdgeTraffic', 'live', tid, target, range],
    queryFn: ({ client, signal }) => {
      const from = new Date(Date.now() - seconds * 1000).toISOString();
      const { queryFn } = read('getEdgeTraffic', {
        params: { tid },
        query: { from, step, target_id: target },
      });
      return (queryFn as (context: object) => Promise<Series>)({ client, signal });
    },
    refetchInterval: again,
    placeholderData: (old) => old,
  });
  return (
    <Card
      title={t.traffic}
      actions={
        <span className={classes.chosen}>
          <Choice
            label={t.unit}
            value={unit}
            onChange={setUnit}
            options={[
              { value: 'bps', label: t.bits },
              { value: 'pps', label: t.packets },
            ]}
          />
          <Choice
            label={t.range}
            value={range}
            onChange={setRange}
            options={[
              { value: 'hour', label: t.hour },
              { value: 'day', label: t.day },
              { value: 'month', label: t.month },
            ]}
          />
        </span>
      }
    >
      <Loaded query={query}>{(series) => <TrafficChart series={series} unit={unit} />}</Loaded>
    </Card>
  );
}

/** Passed and dropped add up to the incoming traffic; outgoing traffic is separate. */
export function TrafficChart({
  series,
  unit,
  marks,
}: {
  series: Series;
  unit: 'bps' | 'pps';
  marks?: readonly { at: number; colour: 'info' | 'ok' | 'bad' | 'warn' | 'faint' | 'shield' }[];
}) {
  const t = useTexts(shieldTexts);
  const locale = useLocale();
  const columns = useMemo(
    () =>
      columnsOf(
        series,
        unit === 'bps' ? ['dropped_bps', 'passed_bps', 'out_bps'] : ['dropped_pps', 'passed_pps'],
      ),
    [series, unit],
  );
  const format = (value: number) => formatRate(value, unit === 'bps' ? 'bit/s' : 'pps', 1000, locale);
  const [dropped = null, passed = null] = [columns[1], columns[2]].map((column) => column && latest(column));
  const lines = [
    { label: t.dropped, colour: 'bad' as const, filled: true },
    { label: t.passed, colour: 'ok' as const, filled: true },
    ...(unit === 'bps' ? [{ label: t.out, colour: 'info' as const, dashed: true }] : []),
  ];
  const label = t.trafficLabel(format(dropped ?? 0), format(passed ?? 0), format(peak(columns[1] ?? [])));
  return (
    <Chart
      label={label}
      columns={columns}
      lines={lines}
      format={format}
      height={180}
      marks={marks}
      locale={locale}
    />
  );
}
